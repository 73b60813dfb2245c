#include <utility>

#include "experiments/describe.h"
#include "experiments/large_prompt_training.h"

namespace attnlab::experiments {
namespace {

Figure figure_of(const char* name, const char* label, const char* caption, Axis x, Axis y) {
  Figure figure;
  figure.name = name;
  figure.label = label;
  figure.caption = caption;
  figure.x = std::move(x);
  figure.y = std::move(y);
  return figure;
}

Descriptor make_descriptor() {
  const char* flow_source = "arXiv 2512.11784, infinite-prompt gradient flow";
  Descriptor result(kLargePromptTraining);
  result.title = "Does training on finite prompts follow the infinite-prompt flow?";
  result.summary =
      "One softmax head trained on prompts of L examples, beside the closed flow of the infinite "
      "prompt: the product b A follows it; the parameters drift along the valley.";
  result.answer =
      "At L = {summary.length} the trained head has risk {summary.loss} ± {summary.lossError} on "
      "fresh prompts[; over L the risk falls with slope {summary.slope} ± {summary.slopeError}]. "
      "The infinite-prompt flow ends at b = {summary.b}.";
  result.source = "arXiv 2512.11784, Theorem 4.3 and Section 5";
  Parameter lengths =
      parameter(ParameterType::kNumbers, "lengths", "L", std::vector<double>{16, 64, 256, 1024},
                {2, 4096, 1}, "Examples in a prompt", "One curve for each.", "prompt");
  lengths.maximum_count = 6;
  Parameter tests =
      parameter(ParameterType::kInteger, "testPrompts", "", 400.0, {20, 20000, 0, true},
                "Test prompts a run", "Fresh prompts after training.", "simulation");
  tests.rare = true;
  result.parameters = {
      lengths,
      parameter(ParameterType::kInteger, "dimension", "d", 3.0, {1, 10, 1}, "Dimension",
                "Of x; tasks w ~ N(0, I).", "prompt"),
      choice("covariance", {{"isotropic", "identity"}, {"kcm", "½ to the power |i − j|"}},
             "Covariance of x", "Of the inputs in every prompt and of the query.", "prompt"),
      parameter(ParameterType::kNumber, "labelVariance", "σ²", 0.0, {0, 2, 0.01}, "Label noise",
                "Variance of the noise on the labels.", "prompt"),
      choice("trainer",
             {{"flow", "gradient flow of the risk"},
              {"sgd", "SGD, fresh batches"},
              {"adamw", "AdamW, fresh batches"}},
             "Training", "How the finite-prompt model follows its gradient.", "training"),
      parameter(ParameterType::kNumber, "rate", "η", 0.1, {0.0001, 1e6, 0, true}, "Learning rate",
                "The time step of the flow.", "training"),
      parameter(ParameterType::kInteger, "steps", "", 40.0, {1, 20000, 0, true}, "Steps",
                "Training time is steps times learning rate.", "training"),
      parameter(ParameterType::kNumber, "alpha", "α", 0.1, {0.001, 1, 0, true}, "Size of the start",
                "b = α, A = α I / √d.", "training"),
      parameter(ParameterType::kInteger, "batch", "B", 120.0, {2, 5000, 0, true},
                "Prompts in a batch", "At the longest L; up to 16 times as many at shorter ones.",
                "training"),
      parameter(ParameterType::kInteger, "runs", "R", 4.0, {1, 100, 1}, "Runs",
                "Each with batches of its own.", "simulation"),
      tests};
  result.presets = {
      {"flow",
       "Gradient flow",
       "arXiv 2512.11784, Theorem 4.3",
       "Longer prompts end nearer to zero risk; each leaves the infinite-prompt flow in time.",
       {}},
      {"drift",
       "Along the valley",
       "derived: at finite L the balance |A| = b is not kept",
       "After the product has settled the head drifts to smaller A and larger b.",
       {{"steps", 300.0},
        {"lengths", std::vector<double>{16, 64}},
        {"batch", 100.0},
        {"runs", 4.0}}},
      {"adamw",
       "AdamW",
       "arXiv 2512.11784, Section 6, with another optimiser",
       "Steps of equal size: another path, the same valley.",
       {{"trainer", std::string("adamw")}, {"rate", 0.02}, {"steps", 200.0}, {"batch", 40.0}}}};
  const Column curve = text_of("curve", "curve");
  const Column length{"length", "L", "examples", "examples in a prompt", ColumnType::kNumber};
  result.tables = {
      {"path",
       "Along training",
       {curve, length, number_of("time", "t", "training time"),
        number_of("loss", "", "loss on the batch, mean over runs"),
        number_of("product", "", "|b A − (b A)_∞|, mean over runs"),
        number_of("productError", "", "one standard error"),
        number_of("parameters", "", "|θ − θ_∞|, mean over runs"),
        number_of("parametersError", "", "one standard error"),
        number_of("b", "b", "output weight, mean over runs"), number_of("runs", "R", "runs")}},
      {"ends",
       "After training",
       {curve, length, number_of("loss", "", "risk on fresh prompts, mean over runs"),
        number_of("lossError", "", "one standard error over runs"),
        number_of("product", "", "largest |b A − (b A)_∞| up to t = 2"),
        number_of("productError", "", "one standard error"),
        number_of("parameters", "", "largest |θ − θ_∞| up to t = 2"),
        number_of("parametersError", "", "one standard error"), number_of("runs", "R", "runs")}},
      {"flow",
       "Infinite-prompt flow",
       {number_of("time", "t", "time"), number_of("loss", "", "risk"), number_of("b", "b", "b"),
        number_of("size", "|A|", "size of A")}},
      {"summary",
       "The last length",
       {length, number_of("loss", "", "risk on fresh prompts"),
        number_of("lossError", "", "one standard error"),
        number_of("slope", "", "slope of log risk against log L"),
        number_of("slopeError", "", "one standard error"), number_of("b", "b*", "limit of b"),
        number_of("size", "|A*|", "limit of |A|")}}};
  const Axis time{"training time", "t", "", false};
  Figure loss =
      figure_of("loss", "Loss along training",
                "Dots: loss along training, mean over runs. Line: risk of the infinite-prompt "
                "flow. A prompt of L examples cannot tell more than L examples say: each "
                "curve ends on a floor of its own.",
                time, {"loss", "", "", true});
  loss.marks = {
      theory_line("flow", "time", "loss", "infinite prompt", Standing::kTheorem, flow_source),
      simulated_dots("path", "time", "loss", "", "{series}", "curve")};
  Figure product = figure_of(
      "product", "Distance of the product from the flow",
      "Mean over runs of |b A − (b A)_∞|, with one standard error: what the prediction depends on.",
      time, {"|b A − (b A)_∞|", "", "", true});
  product.marks = {simulated_dots("path", "time", "product", "productError", "{series}", "curve")};
  Figure parameters = figure_of(
      "parameters", "Distance of the parameters from the flow",
      "Mean over runs of |θ − θ_∞|, with one standard error. It keeps growing after the product "
      "has "
      "settled: the head moves along the valley b Σ A = I, where only terms of order 1/L push it.",
      time, {"|θ − θ_∞|", "", "", true});
  parameters.marks = {
      simulated_dots("path", "time", "parameters", "parametersError", "{series}", "curve")};
  Figure ends = figure_of("ends", "Risk after training against L",
                          "Dots: risk on fresh prompts, mean over runs, with one standard error.",
                          {"examples in a prompt", "L", "examples", true}, {"risk", "", "", true});
  ends.marks = {simulated_dots("ends", "length", "loss", "lossError", "risk on fresh prompts")};
  result.figures = {loss, product, parameters, ends};
  return result;
}

}  // namespace

const Descriptor& large_prompt_training_descriptor() {
  static const Descriptor descriptor = make_descriptor();
  return descriptor;
}

}  // namespace attnlab::experiments

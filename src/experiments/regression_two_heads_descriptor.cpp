#include "experiments/describe.h"
#include "experiments/regression_two_heads.h"

namespace attnlab::experiments {
namespace {

constexpr const char* kPaper = "arXiv 2503.12734";

std::vector<Parameter> make_parameters() {
  Parameter lengths = parameter(
      ParameterType::kNumbers, "testLengths", "L", std::vector<double>{10, 20, 40, 100, 400, 1000},
      {2, 4000, 1}, "Test lengths", "The predictors are fixed at the training length.", "test");
  Parameter examples = parameter(ParameterType::kNumber, "examples", "", 1200000.0,
                                 {2000, 20000000, 0, true}, "Examples drawn a test length",
                                 "Shared out to as many prompts as they make.", "test");
  examples.rare = true;
  return {parameter(ParameterType::kInteger, "dimension", "d", 5.0, {1, 20, 1}, "Dimension",
                    "Of x ~ N(0, I); tasks w ~ N(0, I / d).", "training"),
          parameter(ParameterType::kInteger, "length", "L", 40.0, {2, 4000, 0, true},
                    "Examples in training", "Examples (x, y) in a training prompt.", "training"),
          parameter(ParameterType::kNumber, "labelVariance", "σ²", 0.1, {0, 2, 0.01}, "Label noise",
                    "Variance of the noise on every label.", "training"),
          parameter(ParameterType::kInteger, "heads", "H", 2.0, {1, 6, 1}, "Heads",
                    "Softmax heads that are trained together.", "training"),
          choice("start",
                 {{"opposite", "opposite signs"}, {"same", "all positive"}, {"random", "random"}},
                 "Start", "Signs of the heads at time 0.", "training"),
          parameter(ParameterType::kNumber, "startSize", "", 0.05, {0.001, 1, 0, true},
                    "Size of the start", "Size of every weight at time 0.", "training"),
          parameter(ParameterType::kNumber, "lastTime", "t", 2000.0, {1, 100000, 0, true},
                    "Length of the flow", "Time at which the gradient flow ends.", "training"),
          parameter(ParameterType::kNumber, "gamma", "γ", 0.13, {0.01, 0.6, 0.01},
                    "Key-query weight of the tested pair", "Its output weight is μ_γ.", "test"),
          lengths,
          examples};
}

std::vector<TableSpec> make_tables() {
  const Column time = number_of("time", "t", "time of the flow");
  const Column length{"length", "L", "examples", "examples in the test prompt",
                      ColumnType::kNumber};
  return {
      {"flow",
       "Heads along the flow",
       {text_of("head", "head"), time, number_of("omega", "ω", "key-query weight"),
        number_of("mu", "μ", "output weight")}},
      {"learned",
       "Heads at the end",
       {number_of("head", "h", "head"), number_of("omega", "|ω|", "key-query weight"),
        number_of("mu", "|μ|", "output weight"),
        number_of("sign", "", "common sign of ω and μ; 0 where they differ")}},
      {"loss",
       "Approximate loss along the flow",
       {time, number_of("loss", "", "approximate loss"),
        number_of("single", "", "best single head"), number_of("pair", "", "best pair, γ → 0")}},
      {"manifold",
       "The manifold of pairs",
       {number_of("gamma", "γ", "key-query weight"), number_of("mu", "μ_γ", "output weight"),
        number_of("loss", "", "approximate loss"),
        number_of("firstOrder", "", "risk through order 1/L")}},
      {"test",
       "Risk at other lengths",
       {length, number_of("pair", "", "pair, simulated"),
        number_of("pairError", "", "one standard error"),
        number_of("pairTheory", "", "pair, first order in 1/L"),
        number_of("pairEarly", "", "the same formula before it holds"),
        number_of("single", "", "single head, simulated"),
        number_of("singleError", "", "one standard error"),
        number_of("singleTheory", "", "single head, first order in 1/L"),
        number_of("singleEarly", "", "the same formula before it holds"),
        number_of("debiased", "", "debiased gradient step, simulated"),
        number_of("debiasedError", "", "one standard error"),
        number_of("debiasedTheory", "", "debiased gradient step, exact"),
        number_of("vanilla", "", "vanilla gradient step, simulated"),
        number_of("vanillaError", "", "one standard error"),
        number_of("vanillaTheory", "", "vanilla gradient step, exact"),
        number_of("bayes", "", "Bayes, as d and L grow at this ratio")}},
      {"summary",
       "At the training length",
       {length, number_of("gamma", "γ", "key-query weight of the pair"),
        number_of("mu", "μ_γ", "output weight of the pair"), number_of("pair", "", "pair"),
        number_of("pairError", "", "one standard error"), number_of("single", "", "single head"),
        number_of("singleError", "", "one standard error"),
        number_of("debiased", "", "debiased gradient step")}}};
}

std::vector<Figure> make_figures() {
  Figure test;
  test.name = "test";
  test.label = "Risk at other lengths than that of training";
  test.caption =
      "Mean square error, the target's noise included, of predictors fixed at L = {length}: the "
      "pair ±(γ, μ_γ), the best single head of the approximate loss, and one step of gradient "
      "descent in context with and without the mean of x taken out. Dots: simulated, with one "
      "standard error. Lines: exact for the gradient steps, first order in 1/L for the heads, "
      "dotted where a quarter of it or more comes from queries with L < 10 e^{2q}, q = ω² |x_q|². "
      "The "
      "pair is debiased gradient descent to within rounding of the chart and keeps its risk at "
      "longer prompts; the single head pays e times the excess or more, because its weights cannot "
      "cancel the second-order term of the exponential.";
  test.x = {"examples in the test prompt", "L", "examples", true};
  test.y = {"risk", "", "", true};
  const auto line = [](const char* column, const char* label, const char* colour,
                       const char* source) {
    return with_colour(theory_line("test", "length", column, label, Standing::kDerived, source),
                       colour);
  };
  const auto dots = [](const char* column, const char* error, const char* label,
                       const char* colour) {
    return with_colour(simulated_dots("test", "length", column, error, label), colour);
  };
  test.marks = {
      line("pairTheory", "pair, first order", "softmax", "risk through order 1/L, derived"),
      line("singleTheory", "single head, first order", "softplus",
           "risk through order 1/L, derived"),
      with_role(line("pairEarly", "pair, before the first order holds", "softmax",
                     "risk through order 1/L, derived"),
                Role::kReference),
      with_role(line("singleEarly", "single head, before the first order holds", "softplus",
                     "risk through order 1/L, derived"),
                Role::kReference),
      line("debiasedTheory", "debiased step, exact", "linear", "exact at every L, derived"),
      line("vanillaTheory", "vanilla step, exact", "relu", "exact at every L, derived"),
      with_colour(with_role(theory_line("test", "length", "bayes", "Bayes, large d",
                                        Standing::kTheorem, "arXiv 2503.12734, proportional limit"),
                            Role::kBound),
                  "bayes"),
      dots("pair", "pairError", "pair", "softmax"),
      dots("single", "singleError", "single head", "softplus"),
      dots("debiased", "debiasedError", "debiased step", "linear"),
      dots("vanilla", "vanillaError", "vanilla step", "relu")};

  Figure flow;
  flow.name = "flow";
  flow.label = "Heads along the flow of the approximate loss";
  flow.caption =
      "Key-query weights ω_h against time: they rise, turn and fall towards 0 while the output "
      "weights grow. From a start with equal signs the heads stay alike, as one.";
  flow.x = {"time", "t", "", true};
  flow.y = {"key-query weight", "ω", "", false};
  flow.marks = {theory_line("flow", "time", "omega", "{series}", Standing::kDerived,
                            "gradient flow of the paper's approximate loss", "head")};
  Figure weights = flow;
  weights.name = "weights";
  weights.label = "Output weights along the flow";
  weights.caption = "Output weights μ_h against time.";
  weights.y = {"output weight", "μ", "", false};
  weights.marks = {theory_line("flow", "time", "mu", "{series}", Standing::kDerived,
                               "gradient flow of the paper's approximate loss", "head")};
  Figure loss;
  loss.name = "loss";
  loss.label = "Approximate loss along the flow";
  loss.caption =
      "The loss falls to that of a single head first, and to that of a pair only when "
      "two heads have opposite signs.";
  loss.x = {"time", "t", "", true};
  loss.y = {"approximate loss", "", "", false};
  loss.marks = {
      theory_line("loss", "time", "loss", "flow", Standing::kDerived,
                  "gradient flow of the paper's approximate loss"),
      with_role(
          theory_line("loss", "time", "single", "best single head", Standing::kTheorem, kPaper),
          Role::kBound),
      with_role(theory_line("loss", "time", "pair", "best pair", Standing::kTheorem, kPaper),
                Role::kBound)};
  Figure manifold;
  manifold.name = "manifold";
  manifold.label = "The manifold of pairs";
  manifold.caption =
      "Line: output weight μ_γ that is best for each γ. Dots: the heads at the end of the flow.";
  manifold.x = {"key-query weight", "γ", "", false};
  manifold.y = {"output weight", "μ", "", false};
  manifold.marks = {theory_line("manifold", "gamma", "mu", "μ_γ", Standing::kTheorem, kPaper),
                    simulated_dots("learned", "omega", "mu", "", "heads at the end")};
  manifold.marks.back().role = Role::kReference;
  return {test, flow, weights, loss, manifold};
}

Descriptor make_descriptor() {
  Descriptor result(kRegressionTwoHeads);
  result.title = "Why does attention learn heads in pairs of opposite sign?";
  result.summary =
      "Two softmax heads of opposite sign do one step of debiased gradient descent; one head "
      "cannot.";
  result.answer =
      "At {summary.length} examples the pair with γ = {summary.gamma} and μ = {summary.mu} has "
      "risk {summary.pair} ± {summary.pairError}, the gradient step {summary.debiased}, the single "
      "head {summary.single} ± {summary.singleError}.";
  result.source = kPaper;
  result.parameters = make_parameters();
  result.presets = {
      {"pair",
       "The pair",
       "arXiv 2503.12734, L = 40, d = 5, σ² = 0.1",
       "Two heads of opposite sign reach the risk of debiased gradient descent.",
       {}},
      {"same",
       "Equal signs",
       "arXiv 2503.12734; flow from a start with equal signs",
       "From equal signs the two heads stay one: the loss stops at .372.",
       {{"start", std::string("same")}}},
      {"four",
       "Four heads",
       "arXiv 2503.12734, H ≥ 2",
       "More than two heads sum to one pair; μ sums to 0.",
       {{"heads", 4.0}, {"start", std::string("random")}}},
      {"large",
       "d = 20",
       "arXiv 2503.12734; 1/L-exact heads, derived",
       "At d = 20 and long prompts the single head's excess is 2.8 times that of the pair.",
       {{"dimension", 20.0},
        {"length", 1000.0},
        {"testLengths", std::vector<double>{100, 400, 1000, 2000}},
        {"gamma", 0.05}}}};
  result.tables = make_tables();
  result.figures = make_figures();
  return result;
}

}  // namespace

const Descriptor& regression_two_heads_descriptor() {
  static const Descriptor descriptor = make_descriptor();
  return descriptor;
}

}  // namespace attnlab::experiments

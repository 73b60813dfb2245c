// large-prompt.training: training on finite prompts beside the infinite-prompt flow.
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "core/random.h"
#include "experiments/describe.h"
#include "experiments/moments.h"
#include "experiments/parameters.h"
#include "experiments/registry.h"
#include "experiments/slope.h"
#include "experiments/table_rows.h"
#include "regression/training.h"

namespace attnlab::experiments {
namespace {

constexpr std::uint64_t kTestStream = 0x91;
constexpr std::size_t kRowSize = 5;  // time, loss, product error, parameter error, b

const Descriptor& descriptor();

struct Setting {
  regression::PromptLaw law;
  regression::Head start;
  std::vector<Index> lengths;
  Index runs;  // a length
  Index steps;
  double dt;
  Index batch;
  regression::Trainer trainer;
  Index test_prompts;
  std::uint64_t seed;
  std::vector<regression::Head> flow;  // infinite prompt, at every step
};

// One training run; at every step the distance from the flow, at the end a fresh test.
class TrainingTask final : public Task {
 public:
  TrainingTask(const Setting& setting, std::size_t number)
      : setting_(setting),
        length_(setting.lengths[number % setting.lengths.size()]),
        number_(number),
        training_(options(), setting.start) {}

  bool step() override {
    if (training_.steps() < setting_.steps) {
      const regression::Head before = training_.head();
      if (!training_.step()) {
        diverged_ = training_.steps();
        return true;
      }
      add_row(before, training_.steps() - 1);
      return false;
    }
    // Fresh prompts, as many examples a step as in training.
    const Index prompts_left = std::min(setting_.batch, setting_.test_prompts - tested_);
    if (prompts_left <= 0) return true;
    RandomStream random(setting_.seed,
                        stream_of({kTestStream, number_, static_cast<std::uint64_t>(tested_)}));
    const auto prompts = regression::draw_prompts(setting_.law, prompts_left, length_, random);
    const Vector gaps = regression::finite_predictions(prompts, training_.head()) - prompts.targets;
    for (Index p = 0; p < prompts_left; ++p)
      test_.add(gaps(p) * gaps(p) / 2);
    tested_ += prompts_left;
    return tested_ >= setting_.test_prompts;
  }

  double progress() const override {
    return static_cast<double>(training_.steps()) / static_cast<double>(setting_.steps + 1);
  }
  Record record() const override {
    Record record = {test_.count, test_.sum, test_.squares};
    record.insert(record.end(), rows_.begin(), rows_.end());
    return record;
  }
  std::optional<std::int64_t> diverged_at() const override { return diverged_; }

 private:
  regression::TrainingOptions options() const {
    regression::TrainingOptions options;
    options.trainer = setting_.trainer;
    options.rate = setting_.dt;
    options.batch = batch();
    options.length = length_;
    options.law = setting_.law;
    options.seed = setting_.seed;
    options.stream = number_;
    return options;
  }

  // Shorter prompts come in larger batches, so that every length sees about as many examples.
  Index batch() const {
    const Index longest = *std::max_element(setting_.lengths.begin(), setting_.lengths.end());
    return setting_.batch * std::min<Index>(longest / length_, 16);
  }

  void add_row(const regression::Head& head, Index step) {
    const auto& flow = setting_.flow[static_cast<std::size_t>(step)];
    const double product = (head.b * head.A - flow.b * flow.A).norm();
    const double gap = head.b - flow.b;
    const double parameters = std::sqrt((head.A - flow.A).squaredNorm() + gap * gap);
    rows_.insert(rows_.end(), {setting_.dt * static_cast<double>(step), training_.loss(), product,
                               parameters, head.b});
  }

  const Setting& setting_;
  Index length_;
  std::size_t number_;
  regression::HeadTraining training_;
  Record rows_;
  Moments test_;
  Index tested_ = 0;
  std::optional<std::int64_t> diverged_;
};

class TrainingPlan final : public Plan {
 public:
  TrainingPlan(const Values& values, std::uint64_t seed) {
    const Index d = count(values, "dimension");
    const double rho = text(values, "covariance") == "kcm" ? 0.5 : 0.0;
    setting_.law.covariance = regression::kcm_covariance(d, rho);
    setting_.law.label_variance = number(values, "labelVariance");
    setting_.start = regression::flow_start(d, number(values, "alpha"));
    for (const double entry : numbers(values, "lengths"))
      setting_.lengths.push_back(static_cast<Index>(entry));
    setting_.runs = count(values, "runs");
    setting_.dt = number(values, "rate");
    setting_.steps = count(values, "steps");
    setting_.batch = count(values, "batch");
    const std::string& trainer = text(values, "trainer");
    setting_.trainer = trainer == "flow"  ? regression::Trainer::kFlow
                       : trainer == "sgd" ? regression::Trainer::kDescent
                                          : regression::Trainer::kAdamW;
    setting_.test_prompts = count(values, "testPrompts");
    setting_.seed = seed;
    std::vector<double> times;
    // Long before this time the flow has come to rest.
    constexpr double kAtRest = 500;
    for (Index i = 0; i <= setting_.steps; ++i)
      times.push_back(std::min(setting_.dt * static_cast<double>(i), kAtRest));
    setting_.flow = regression::infinite_flow(setting_.law.covariance, setting_.start, times, 1e-9);
  }

  std::size_t task_count() const override {
    return setting_.lengths.size() * static_cast<std::size_t>(setting_.runs);
  }
  std::unique_ptr<Task> task(std::size_t number) const override {
    return std::make_unique<TrainingTask>(setting_, number);
  }
  double cost(std::size_t number) const override {
    return static_cast<double>(setting_.lengths[number % setting_.lengths.size()]);
  }

  Tables summarise(std::span<const Record> records) const override {
    TableRows path(descriptor(), "path");
    TableRows ends(descriptor(), "ends");
    TableRows flow(descriptor(), "flow");
    TableRows summary(descriptor(), "summary");
    const Index stride = std::max<Index>(1, setting_.steps / 100);
    std::vector<double> lengths, losses, errors;
    for (std::size_t i = 0; i < setting_.lengths.size(); ++i) {
      const std::string name = "L = " + std::to_string(setting_.lengths[i]);
      for (Index step = 0; step < setting_.steps; step += stride)
        add_path(path, name, i, step, records);
      add_end(ends, name, i, records, lengths, losses, errors);
    }
    for (Index step = 0; step <= setting_.steps; step += stride) {
      const auto& head = setting_.flow[static_cast<std::size_t>(step)];
      flow.add({setting_.dt * static_cast<double>(step),
                regression::infinite_prompt(setting_.law.covariance, head).loss, head.b,
                head.A.norm()});
    }
    const Slope slope = log_slope(lengths, losses, errors, 0);
    const regression::Head limit = regression::flow_limit(setting_.law.covariance);
    summary.add({lengths.back(), losses.back(), errors.back(), slope.value, slope.error, limit.b,
                 limit.A.norm()});
    return {path.take(), ends.take(), flow.take(), summary.take()};
  }

 private:
  // Means over the runs of one length at one step.
  void add_path(TableRows& path, const std::string& name, std::size_t length, Index step,
                std::span<const Record> records) const {
    Moments moments[kRowSize - 1];
    for (std::size_t number = length; number < records.size(); number += setting_.lengths.size()) {
      const std::size_t at = 3 + kRowSize * static_cast<std::size_t>(step);
      if (at + kRowSize > records[number].size()) continue;
      for (std::size_t k = 0; k + 1 < kRowSize; ++k)
        moments[k].add(records[number][at + 1 + k]);
    }
    if (moments[0].count == 0) return;
    path.add({name, static_cast<double>(setting_.lengths[length]),
              setting_.dt * static_cast<double>(step), moments[0].mean().value,
              moments[1].mean().value, moments[1].mean().error, moments[2].mean().value,
              moments[2].mean().error, moments[3].mean().value, moments[0].count});
  }

  void add_end(TableRows& ends, const std::string& name, std::size_t length,
               std::span<const Record> records, std::vector<double>& lengths,
               std::vector<double>& losses, std::vector<double>& errors) const {
    // The spread between runs counts, not only that of the test prompts.
    Moments test, product, parameters;
    for (std::size_t number = length; number < records.size(); number += setting_.lengths.size()) {
      const Record& record = records[number];
      if (record.size() <= 3) continue;
      if (record[0] > 0) test.add(record[1] / record[0]);
      double worst_product = 0;
      double worst = 0;
      for (std::size_t at = 3; at + kRowSize <= record.size(); at += kRowSize) {
        if (record[at] > 2) break;
        worst_product = std::max(worst_product, record[at + 2]);
        worst = std::max(worst, record[at + 3]);
      }
      product.add(worst_product);
      parameters.add(worst);
    }
    const auto L = static_cast<double>(setting_.lengths[length]);
    ends.add({name, L, test.mean().value, test.mean().error, product.mean().value,
              product.mean().error, parameters.mean().value, parameters.mean().error, test.count});
    lengths.push_back(L);
    losses.push_back(test.mean().value);
    errors.push_back(test.mean().error);
  }

  Setting setting_;
};

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
  Descriptor result;
  result.id = "large-prompt.training";
  result.wing = "large-prompt";
  result.order = 50;
  result.title = "Does training on finite prompts follow the infinite-prompt flow?";
  result.summary =
      "One softmax head trained on prompts of L examples, beside the closed flow of the infinite "
      "prompt: the product b A follows it; the parameters drift along the valley.";
  result.answer =
      "At L = {summary.length} the trained head has risk {summary.loss} ± {summary.lossError} on "
      "fresh prompts; over L the risk falls with slope {summary.slope} ± {summary.slopeError}. The "
      "infinite-prompt flow ends at b = {summary.b}.";
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
             "Covariance of x", "", "prompt"),
      parameter(ParameterType::kNumber, "labelVariance", "σ²", 0.0, {0, 2, 0.01}, "Label noise",
                "Variance of the noise on the labels.", "prompt"),
      choice("trainer",
             {{"flow", "gradient flow, frozen batch"},
              {"sgd", "SGD, fresh batches"},
              {"adamw", "AdamW, fresh batches"}},
             "Training", "", "training"),
      parameter(ParameterType::kNumber, "rate", "η", 0.05, {0.0001, 1e6, 0, true}, "Learning rate",
                "The time step of the flow.", "training"),
      parameter(ParameterType::kInteger, "steps", "", 80.0, {1, 20000, 0, true}, "Steps",
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
       "Longer prompts follow the infinite-prompt flow for longer, in b A first.",
       {}},
      {"drift",
       "Along the valley",
       "derived: at finite L the balance |A| = b is not kept",
       "After the product has settled the head drifts to smaller A and larger b.",
       {{"steps", 600.0},
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
        number_of("loss", "", "training loss, mean over runs"),
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
  Figure loss = figure_of("loss", "Loss along training",
                          "Dots: training loss, mean over runs. Line: risk of the infinite-prompt "
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

const Descriptor& descriptor() {
  static const Descriptor instance = make_descriptor();
  return instance;
}

std::unique_ptr<Plan> prepare(const Values& values, std::uint64_t seed) {
  for (const double entry : numbers(values, "lengths"))
    if (entry != std::floor(entry))
      fail(ErrorCode::kNotInteger, "lengths",
           "has the entry " + show(entry) + "; whole numbers are expected");
  return std::make_unique<TrainingPlan>(values, seed);
}

const Registration kRegistration(descriptor(), prepare);

}  // namespace
}  // namespace attnlab::experiments

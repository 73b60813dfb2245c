// regression.task-allocation: which head takes which task, along the multi-task flow.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "core/portable.h"
#include "core/random.h"
#include "experiments/describe.h"
#include "experiments/parameters.h"
#include "experiments/registry.h"
#include "experiments/table_rows.h"
#include "regression/multi_task.h"

namespace attnlab::experiments {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kLargestCorrection = 10;
constexpr std::uint64_t kStartStream = 0xa0;
constexpr int kTimes = 200;
constexpr double kFirstTime = 0.02;

constexpr Identity kRegressionTaskAllocation = {"regression.task-allocation", "large-prompt", 90};
const Descriptor& descriptor();

struct Setting {
  regression::TaskSetting tasks;
  Index heads;
  regression::TaskHeads start;
  double last_time;
};

regression::TaskHeads make_start(const Values& values, const Setting& setting, std::uint64_t seed) {
  const Index H = setting.heads;
  const Index I = setting.tasks.dimensions.size();
  const double size = number(values, "startSize");
  const std::string& kind = text(values, "start");
  RandomStream random(seed, stream_of({kStartStream}));
  regression::TaskHeads start{Matrix::Constant(H, I, size), Matrix::Constant(H, I, size)};
  if (kind == "symmetric") return start;
  for (Matrix* matrix : {&start.omega, &start.mu})
    for (Index h = 0; h < H; ++h)
      for (Index i = 0; i < I; ++i)
        (*matrix)(h, i) = kind == "random" ? size * std::fabs(random.gaussian())
                          : h % I == i     ? size
                                           : size / 5;
  return start;
}

class AllocationTask final : public Task {
 public:
  explicit AllocationTask(const Setting& setting) : setting_(setting), heads_(setting.start) {
    put(0);
  }

  bool step() override {
    heads_ =
        regression::task_flow(setting_.tasks, heads_, {time(next_) - time(next_ - 1)}, 1e-8)[0];
    put(time(next_));
    return ++next_ > kTimes;
  }
  double progress() const override { return static_cast<double>(next_ - 1) / kTimes; }
  Record record() const override { return record_; }

 private:
  double time(int i) const {
    if (i == 0) return 0;
    const double share = static_cast<double>(i - 1) / (kTimes - 1);
    return kFirstTime * portable::pow(setting_.last_time / kFirstTime, share);
  }
  void put(double at) {
    record_.push_back(at);
    record_.insert(record_.end(), heads_.omega.data(), heads_.omega.data() + heads_.omega.size());
    record_.insert(record_.end(), heads_.mu.data(), heads_.mu.data() + heads_.mu.size());
  }

  const Setting& setting_;
  regression::TaskHeads heads_;
  Record record_;
  int next_ = 1;
};

class AllocationPlan final : public Plan {
 public:
  AllocationPlan(const Values& values, std::uint64_t seed) {
    const auto& dimensions = numbers(values, "dimensions");
    setting_.tasks.dimensions =
        Eigen::Map<const Vector>(dimensions.data(), static_cast<Index>(dimensions.size()));
    setting_.tasks.length = number(values, "length");
    setting_.tasks.label_variance = number(values, "labelVariance");
    setting_.heads = count(values, "heads");
    setting_.last_time = number(values, "lastTime");
    setting_.start = make_start(values, setting_, seed);
  }

  std::size_t task_count() const override { return 1; }
  std::unique_ptr<Task> task(std::size_t) const override {
    return std::make_unique<AllocationTask>(setting_);
  }

  Tables summarise(std::span<const Record> records) const override {
    TableRows loss(descriptor(), "loss");
    TableRows heads(descriptor(), "heads");
    TableRows phases(descriptor(), "phases");
    TableRows summary(descriptor(), "summary");
    const Index H = setting_.heads;
    const Index I = setting_.tasks.dimensions.size();
    double dedicated = 0;
    double shared = 0;
    for (Index i = 0; i < I; ++i) {
      dedicated += regression::dedicated_risk(setting_.tasks, i);
      shared += regression::shared_risk(setting_.tasks, i);
    }
    const double whole = setting_.tasks.dimensions.sum();
    const Record& record = records[0];
    const auto size = static_cast<std::size_t>(H * I);
    const std::size_t width = 1 + 2 * size;
    double emergence = kNaN;
    double convergence = kNaN;
    regression::TaskHeads last = setting_.start;
    for (std::size_t at = 0; at + width <= record.size(); at += width) {
      const double time = record[at];
      last = {Eigen::Map<const Matrix>(&record[at + 1], H, I),
              Eigen::Map<const Matrix>(&record[at + 1] + size, H, I)};
      const auto found = regression::task_loss(setting_.tasks, last);
      const double exact = regression::first_order_task_loss(setting_.tasks, last);
      // Beyond, the terms in 1/L outweigh what they correct: no law, and no line.
      const bool holds = exact < kLargestCorrection * found.loss;
      loss.add({time, found.loss, holds ? exact : kNaN, dedicated, shared});
      // Half of the trivial loss; within a tenth above the better plateau.
      if (std::isnan(emergence) && found.loss < whole / 2) emergence = time;
      if (std::isnan(convergence) && found.loss < 1.1 * std::min(dedicated, shared))
        convergence = time;
      for (Index h = 0; h < H; ++h)
        for (Index i = 0; i < I; ++i)
          heads.add({"head " + std::to_string(h + 1) + ", task " + std::to_string(i + 1), time,
                     last.omega(h, i), last.mu(h, i), last.omega(h, i) * last.mu(h, i)});
    }
    phases.add({std::string("warm-up ends: the loss is half of its start"), emergence});
    phases.add({std::string("convergence: within a tenth of the lower plateau"), convergence});
    summary.add({regression::task_loss(setting_.tasks, last).loss, dedicated, shared, emergence,
                 superposition(last)});
    return {loss.take(), heads.take(), phases.take(), summary.take()};
  }

 private:
  // Share of the output weights that a head spends on tasks other than its main one.
  static double superposition(const regression::TaskHeads& heads) {
    double main = 0;
    double all = 0;
    for (Index h = 0; h < heads.mu.rows(); ++h) {
      main += heads.mu.row(h).cwiseAbs().maxCoeff();
      all += heads.mu.row(h).cwiseAbs().sum();
    }
    return all > 0 ? 1 - main / all : kNaN;
  }

  Setting setting_;
};

Descriptor make_descriptor() {
  const char* source = "gradient flow of the reduced multi-task loss, derived";
  Descriptor result(kRegressionTaskAllocation);
  result.title = "Which head takes which task?";
  result.summary =
      "Several heads learn several regression tasks at once: a slow warm-up, a sudden emergence in "
      "which each head takes a task, and a slow drift into superposition.";
  result.answer =
      "The loss ends at {summary.loss}; one head for each task would have {summary.dedicated}, "
      "one head for all {summary.shared}.[ Warm-up ends at t = {summary.emergence}.] Of the "
      "output weight {summary.superposition} goes to other tasks than a head's own.";
  result.source = "arXiv 2402.19442";
  Parameter dimensions =
      parameter(ParameterType::kNumbers, "dimensions", "d_i", std::vector<double>{6, 6},
                {1, 100, 1}, "Dimensions of the tasks", "One entry for each task.", "tasks");
  dimensions.maximum_count = 4;
  result.parameters = {
      dimensions,
      parameter(ParameterType::kInteger, "heads", "H", 2.0, {1, 6, 1}, "Heads",
                "Softmax heads that share the tasks.", "tasks"),
      parameter(ParameterType::kNumber, "length", "L", 400.0, {5, 100000, 0, true},
                "Examples in a prompt", "Examples (x, y) that a prompt holds.", "tasks"),
      parameter(ParameterType::kNumber, "labelVariance", "σ²", 0.5, {0, 5, 0.05}, "Label noise",
                "Variance of the noise on every label.", "tasks"),
      choice("start",
             {{"leaning", "each head leans to a task"},
              {"random", "random, positive"},
              {"symmetric", "all alike"}},
             "Start", "Weights at time 0.", "training"),
      parameter(ParameterType::kNumber, "startSize", "", 0.05, {0.001, 1, 0, true},
                "Size of the start", "Size of every weight at time 0.", "training"),
      parameter(ParameterType::kNumber, "lastTime", "t", 400.0, {1, 5000, 0, true},
                "Length of the flow", "Time at which the gradient flow ends.", "training")};
  result.presets = {
      {"two",
       "Two tasks, two heads",
       "arXiv 2402.19442; reduced flow, derived",
       "Each head takes a task first, then both serve both with weights of opposite sign.",
       {}},
      {"alike",
       "A start that is all alike",
       "reduced flow, derived",
       "Heads that begin alike stay alike: they share one head's loss for ever.",
       {{"start", std::string("symmetric")}}},
      {"one",
       "One head",
       "arXiv 2402.19442, single-head against multi-head",
       "One head for two tasks: about twice the excess.",
       {{"heads", 1.0}}},
      {"four",
       "Two tasks, four heads",
       "arXiv 2503.12734, H ≥ 2N",
       "With two heads a task, pairs of opposite sign form.",
       {{"heads", 4.0}, {"start", std::string("random")}}}};
  const Column time = number_of("time", "t", "time of the flow");
  result.tables = {
      {"loss",
       "Loss along the flow",
       {time, number_of("loss", "", "reduced loss"),
        number_of("firstOrder", "", "the same heads, exact through order 1/L"),
        number_of("dedicated", "", "one head for each task"),
        number_of("shared", "", "one head for all tasks")}},
      {"heads",
       "Heads along the flow",
       {text_of("head", "head and task"), time, number_of("omega", "ω", "key-query weight"),
        number_of("mu", "μ", "output weight"), number_of("product", "ω μ", "their product")}},
      {"phases", "Phases", {text_of("phase", "phase"), number_of("time", "t", "time")}},
      {"summary",
       "At the end",
       {number_of("loss", "", "reduced loss"), number_of("dedicated", "", "one head a task"),
        number_of("shared", "", "one head for all"),
        number_of("emergence", "t", "end of the warm-up"),
        number_of("superposition", "", "share of output weight on other tasks")}}};
  Figure loss;
  loss.name = "loss";
  loss.label = "Loss along the flow";
  loss.caption =
      "Line: the reduced loss, without the noise of the targets. Dashed: one head for each task, "
      "and one head for all. Below the first of these the heads are in superposition: each also "
      "carries a little of the other task with the opposite sign, which cancels noise that a head "
      "alone cannot. The reference line values the same heads exactly through order 1/L; it is "
      "left out where it passes ten times the line: key-query weights are then near the size at "
      "which no 1/L law holds.";
  loss.x = {"time", "t", "", true};
  loss.y = {"loss", "", "", true};
  loss.marks = {
      theory_line("loss", "time", "loss", "flow", Standing::kDerived, source),
      with_role(theory_line("loss", "time", "firstOrder", "through order 1/L", Standing::kDerived,
                            "exp replaced by its value for Gaussian x, derived"),
                Role::kReference),
      with_role(theory_line("loss", "time", "dedicated", "one head a task", Standing::kDerived,
                            "d x / (1 + x), x = e (d + σ²) / L"),
                Role::kBound),
      with_role(theory_line("loss", "time", "shared", "one head for all", Standing::kDerived,
                            "the same with x = e Σd (1 + σ²/d) / L"),
                Role::kBound)};
  Figure products;
  products.name = "products";
  products.label = "Who serves which task";
  products.caption = "ω μ of every head and task: they sum to nearly 1 over the heads of a task.";
  products.x = {"time", "t", "", true};
  products.y = {"product", "ω μ", "", false};
  products.marks = {
      theory_line("heads", "time", "product", "{series}", Standing::kDerived, source, "head")};
  Figure outputs = products;
  outputs.name = "outputs";
  outputs.label = "Output weights";
  outputs.caption = "Output weights of every head and task.";
  outputs.y = {"output weight", "μ", "", false};
  outputs.marks = {
      theory_line("heads", "time", "mu", "{series}", Standing::kDerived, source, "head")};
  result.figures = {loss, products, outputs};
  return result;
}

const Descriptor& descriptor() {
  static const Descriptor instance = make_descriptor();
  return instance;
}

std::unique_ptr<Plan> prepare(const Values& values, std::uint64_t seed) {
  return std::make_unique<AllocationPlan>(values, seed);
}

const Registration kRegistration(kRegressionTaskAllocation, descriptor, prepare);

}  // namespace
}  // namespace attnlab::experiments

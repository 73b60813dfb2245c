// regression.in-context: test loss against the number of examples.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "core/random.h"
#include "experiments/describe.h"
#include "experiments/early_and_late.h"
#include "experiments/moments.h"
#include "experiments/parameters.h"
#include "experiments/registry.h"
#include "experiments/table_rows.h"
#include "measure/query_law.h"
#include "regression/heads.h"
#include "regression/linear_attention.h"
#include "regression/temperature.h"

namespace attnlab::experiments {
namespace {

constexpr std::uint64_t kPromptStream = 0x80;
constexpr Index kExamplesPerBatch = 4000;

constexpr Identity kRegressionInContext = {"regression.in-context", "large-prompt", 70};
const Descriptor& descriptor();

struct Setting {
  regression::PromptLaw law;
  Matrix inverse;  // of the covariance
  std::vector<Index> lengths;
  std::vector<Index> prompts;
  std::vector<double> temperatures;
  Index blocks;
  std::uint64_t seed;
};

// Batches of every length in turn.
class InContextTask final : public Task {
 public:
  InContextTask(const Setting& setting, Index block) : setting_(setting), block_(block) {
    scans_.assign(setting.lengths.size(), regression::TemperatureScan(setting.temperatures.size()));
    ridge_.resize(setting.lengths.size());
  }

  bool step() override {
    const Index length = setting_.lengths[place_];
    const Index mine = share(place_);
    const Index batch = std::min(mine - done_, std::max<Index>(1, kExamplesPerBatch / length));
    if (batch > 0) {
      const auto index = [](auto value) { return static_cast<std::uint64_t>(value); };
      RandomStream random(setting_.seed,
                          stream_of({kPromptStream, index(length), index(block_), index(done_)}));
      const auto prompts = regression::draw_prompts(setting_.law, batch, length, random);
      scans_[place_].add(prompts, setting_.inverse, setting_.temperatures);
      const double ridge = setting_.law.label_variance / setting_.law.task_variance;
      const Vector predictions = regression::ridge_predictions(prompts, std::max(ridge, 1e-9));
      for (Index p = 0; p < batch; ++p) {
        const double gap = predictions(p) - prompts.targets(p);
        ridge_[place_].add(gap * gap);
      }
      done_ += batch;
    }
    if (done_ >= mine) {
      ++place_;
      done_ = 0;
    }
    return place_ == setting_.lengths.size();
  }

  double progress() const override {
    return static_cast<double>(place_) / static_cast<double>(setting_.lengths.size());
  }

  Record record() const override {
    Record record;
    for (std::size_t i = 0; i < scans_.size(); ++i) {
      record.insert(record.end(), {ridge_[i].count, ridge_[i].sum, ridge_[i].squares});
      const auto& sums = scans_[i].sums();
      record.insert(record.end(), sums.begin(), sums.end());
    }
    return record;
  }

 private:
  Index share(std::size_t place) const {
    const Index all = setting_.prompts[place];
    return all * (block_ + 1) / setting_.blocks - all * block_ / setting_.blocks;
  }

  const Setting& setting_;
  Index block_;
  std::vector<regression::TemperatureScan> scans_;
  std::vector<Moments> ridge_;
  std::size_t place_ = 0;
  Index done_ = 0;
};

class InContextPlan final : public Plan {
 public:
  InContextPlan(const Values& values, std::uint64_t seed) {
    const Index d = count(values, "dimension");
    const double rho = text(values, "covariance") == "kcm" ? number(values, "rho") : 0.0;
    setting_.law.covariance = regression::kcm_covariance(d, rho);
    setting_.law.task_variance = 1 / static_cast<double>(d);
    setting_.law.label_variance = number(values, "labelVariance");
    const regression::Head limit = regression::flow_limit(setting_.law.covariance);
    setting_.inverse = limit.A * limit.b;
    setting_.temperatures = regression::temperature_grid(number(values, "gridStep"), 1.0);
    setting_.seed = seed;
    const auto budget = static_cast<double>(count(values, "examples"));
    for (const double entry : numbers(values, "lengths")) {
      if (entry != std::floor(entry))
        fail(ErrorCode::kNotInteger, "lengths",
             "has the entry " + show(entry) + "; whole numbers are expected");
      const auto length = static_cast<Index>(entry);
      setting_.lengths.push_back(length);
      setting_.prompts.push_back(std::max<Index>(20, static_cast<Index>(budget / entry)));
    }
    setting_.blocks = 20;
  }

  std::size_t task_count() const override { return static_cast<std::size_t>(setting_.blocks); }
  std::unique_ptr<Task> task(std::size_t number) const override {
    return std::make_unique<InContextTask>(setting_, static_cast<Index>(number));
  }

  Tables summarise(std::span<const Record> records) const override {
    const std::size_t places = setting_.lengths.size();
    std::vector<regression::TemperatureScan> scans(
        places, regression::TemperatureScan(setting_.temperatures.size()));
    std::vector<Moments> ridge(places);
    for (const auto& record : records) {
      std::size_t at = 0;
      for (std::size_t i = 0; i < places && !record.empty(); ++i) {
        ridge[i].add(Moments{record[at], record[at + 1], record[at + 2]});
        at += 3;
        const std::size_t size = scans[i].sums().size();
        scans[i].add(std::span(record).subspan(at, size));
        at += size;
      }
    }
    TableRows points(descriptor(), "points");
    TableRows summary(descriptor(), "summary");
    const auto d = static_cast<double>(setting_.law.covariance.rows());
    const double noise = setting_.law.label_variance;
    bool held = true;
    for (std::size_t i = 0; i < places; ++i) {
      const auto length = static_cast<double>(setting_.lengths[i]);
      const regression::LinearSetting linear{setting_.law.covariance, length,
                                             setting_.law.task_variance, noise};
      const double linear_risk =
          regression::linear_risk(linear, regression::linear_optimum(linear));
      const auto best = scans[i].best(setting_.temperatures);
      const auto theory = regression::best_single_head({d, length, noise});
      // Better than the answer 0, or it is not drawn.
      const bool holds = measure::gaussian_query_early_share(setting_.law.covariance.rows(),
                                                             theory.omega * theory.omega,
                                                             length) < measure::kSmallEarlyShare;
      const EarlyAndLate law = early_and_late(theory.risk, holds, held, theory.risk < 1 + noise);
      held = holds;
      const Estimate bayes = ridge[i].mean();
      points.add({length, best.risk + noise, best.error, best.temperature, best.weight, law.late,
                  law.early, linear_risk, bayes.value + noise, bayes.error, noise, ridge[i].count});
      if (i + 1 == places)
        summary.add({length, best.risk + noise, best.error, linear_risk, bayes.value + noise,
                     best.risk / (linear_risk - noise)});
    }
    return {points.take(), summary.take()};
  }

 private:
  Setting setting_;
};

Descriptor make_descriptor() {
  Descriptor result(kRegressionInContext);
  result.title = "How many examples does attention need to do regression?";
  result.summary =
      "Test loss of in-context linear regression against the number of examples: one softmax head "
      "at its best temperature, linear attention exactly, and the Bayes predictor.";
  result.answer =
      "With {summary.length} examples one softmax head reaches {summary.softmax} ± "
      "{summary.softmaxError}, linear attention {summary.linear}, Bayes {summary.bayes}: the "
      "softmax head's excess is {summary.ratio} times that of linear attention.";
  result.source = "arXiv 2512.11784, Section 6";
  Parameter lengths = parameter(ParameterType::kNumbers, "lengths", "L",
                                std::vector<double>{10, 20, 40, 100, 200, 400, 1000}, {2, 4000, 1},
                                "Numbers of examples", "Examples (x, y) in the prompt.", "prompt");
  lengths.maximum_count = 12;
  Parameter rho = parameter(ParameterType::kNumber, "rho", "ρ", 0.5, {0, 0.95, 0.05},
                            "Correlation of neighbours", "Σ_ij = ρ^|i − j|.", "prompt");
  rho.shown_when = {"covariance", {"kcm"}};
  Parameter grid = parameter(ParameterType::kNumber, "gridStep", "", 0.05, {0.01, 0.2, 0.01},
                             "Step of the temperature grid",
                             "The head is A = ω Σ⁻¹; ω is searched on this grid.", "simulation");
  grid.rare = true;
  result.parameters = {
      lengths,
      parameter(ParameterType::kInteger, "dimension", "d", 5.0, {1, 20, 1}, "Dimension",
                "Of x; tasks w ~ N(0, I / d).", "prompt"),
      parameter(ParameterType::kNumber, "labelVariance", "σ²", 0.1, {0.001, 2, 0.01}, "Label noise",
                "Variance of the noise on every label, the target's too.", "prompt"),
      choice("covariance", {{"isotropic", "identity"}, {"kcm", "ρ to the power |i − j|"}},
             "Covariance of x", "KCM: Kac, Murdock and Szegő.", "prompt"),
      rho,
      parameter(ParameterType::kInteger, "examples", "", 1600000.0, {2000, 20000000, 0, true},
                "Examples drawn a length", "Shared out to as many prompts as they make.",
                "simulation"),
      grid};
  result.presets = {
      {"isotropic",
       "Isotropic",
       "arXiv 2512.11784, Section 6 (axes of its figure not seen)",
       "All three tend to the noise floor; one softmax head needs about three times the examples "
       "of linear attention.",
       {}},
      {"kcm",
       "Correlated features",
       "arXiv 2512.11784, Section 6, KCM covariance",
       "The same with ρ = ½: linear attention gains a little, the softmax head does not.",
       {{"covariance", std::string("kcm")}}}};
  result.tables = {{"points",
                    "Test loss against the number of examples",
                    {{"length", "L", "examples", "examples in the prompt", ColumnType::kNumber},
                     number_of("softmax", "", "softmax, one head at its best, simulated"),
                     number_of("softmaxError", "", "one standard error of it"),
                     number_of("temperature", "ω", "its best ω on the grid"),
                     number_of("weight", "μ", "its best output weight"),
                     number_of("softmaxTheory", "", "softmax, best of the first order in 1/L"),
                     number_of("softmaxEarly", "", "the same formula before it holds"),
                     number_of("linear", "", "linear attention, exact"),
                     number_of("bayes", "", "ridge with λ = σ² d, which is Bayes, simulated"),
                     number_of("bayesError", "", "one standard error of it"),
                     number_of("floor", "σ²", "noise floor"),
                     number_of("prompts", "R", "prompts drawn")}},
                   {"summary",
                    "The longest prompt",
                    {{"length", "L", "examples", "examples in the prompt", ColumnType::kNumber},
                     number_of("softmax", "", "softmax"),
                     number_of("softmaxError", "", "one standard error"),
                     number_of("linear", "", "linear attention"),
                     number_of("bayes", "", "Bayes"),
                     number_of("ratio", "", "excess of softmax over excess of linear")}}};
  Figure loss;
  loss.name = "loss";
  loss.label = "Test loss";
  loss.caption =
      "Mean square error on the query, its own noise included, d = {dimension}. Dots: simulated, "
      "with one standard error; the softmax head is taken at its best ω and output weight, so its "
      "dots are the least that training can reach. Lines: linear attention exactly at every L; "
      "the softmax head to first order in 1/L, dotted where it is still too high: a quarter of it "
      "or "
      "more comes from queries with L < 10 e^{2q}, q = ω² |x_q|². Softmax stays "
      "above linear here because its weights e^{ω x·x_q} are noisier than the scores themselves.";
  loss.x = {"examples in the prompt", "L", "examples", true};
  loss.y = {"test loss", "", "", true};
  loss.marks = {
      with_colour(theory_line("points", "length", "linear", "linear attention", Standing::kDerived,
                              "exact at every L, derived; Γ of arXiv 2306.09927"),
                  "linear"),
      with_colour(theory_line("points", "length", "softmaxTheory", "softmax, first order in 1/L",
                              Standing::kDerived, "risk through order 1/L, derived"),
                  "softmax"),
      with_colour(with_role(theory_line("points", "length", "softmaxEarly",
                                        "softmax, before the first order holds", Standing::kDerived,
                                        "risk through order 1/L, derived"),
                            Role::kReference),
                  "softmax"),
      with_colour(with_role(theory_line("points", "length", "floor", "noise floor",
                                        Standing::kTheorem, "arXiv 2512.11784, Theorem 4.3"),
                            Role::kBound),
                  "bayes"),
      with_colour(
          simulated_dots("points", "length", "softmax", "softmaxError", "softmax, one head"),
          "softmax"),
      with_colour(simulated_dots("points", "length", "bayes", "bayesError", "ridge = Bayes"),
                  "bayes")};
  Figure temperature;
  temperature.name = "temperature";
  temperature.label = "Best temperature";
  temperature.caption =
      "The best ω on the grid falls with L: a sharper softmax pays only when examples are few.";
  temperature.x = {"examples in the prompt", "L", "examples", true};
  temperature.y = {"best temperature", "ω", "", false};
  temperature.marks = {with_colour(
      simulated_dots("points", "length", "temperature", "", "softmax, one head"), "softmax")};
  result.figures = {loss, temperature};
  return result;
}

const Descriptor& descriptor() {
  static const Descriptor instance = make_descriptor();
  return instance;
}

std::unique_ptr<Plan> prepare(const Values& values, std::uint64_t seed) {
  return std::make_unique<InContextPlan>(values, seed);
}

const Registration kRegistration(kRegressionInContext, descriptor, prepare);

}  // namespace
}  // namespace attnlab::experiments

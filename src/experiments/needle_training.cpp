// needle.training: how the predecessor's predictor learns: flow, projected gradient descent, and
// stochastic descent on prompts.
#include "experiments/needle_training.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "core/portable.h"
#include "experiments/moments.h"
#include "experiments/needle_setup.h"
#include "experiments/parameters.h"
#include "experiments/registry.h"
#include "experiments/table_rows.h"
#include "needle/token_training.h"

namespace attnlab::experiments {
namespace {

using needle::TokenOverlaps;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr Index kField = 17;     // arrows along a side
constexpr Index kPathsMore = 7;  // further starts in the plane

class TrainingPlan final : public Plan {
 public:
  TrainingPlan(const Values& values, std::uint64_t seed)
      : descriptor_(needle_training_descriptor()) {
    auto training = std::make_shared<TokenTraining>();
    training->model = {number(values, "dimension"), number(values, "length"),
                       number(values, "tokenNoise")};
    training->schedule = {number(values, "lambda"), number(values, "decay")};
    training->rate = number(values, "rate");
    training->steps = count(values, "steps");
    training->on_manifold = text(values, "start") == "manifold";
    training->start_key = number(values, "startKey");
    training->start_value = number(values, "startValue");
    training->batch = count(values, "batch");
    training->replicates = flag(values, "stochastic") ? count(values, "replicates") : 0;
    training->noise = number(values, "noise");
    training->seed = seed;
    start_ = training->on_manifold
                 ? TokenOverlaps{training->start_key, training->start_value, 0, 0, 0}
                 : sphere_start(*training);
    training_ = std::move(training);
  }

  // Descent, flow, further starts, stochastic replicates.
  std::size_t task_count() const override {
    return 2 + kPathsMore + static_cast<std::size_t>(training_->replicates);
  }
  std::unique_ptr<Task> task(std::size_t number) const override {
    if (number == 0) return descent_task(training_, start_);
    if (number == 1) return flow_task(training_, start_.key, start_.value);
    if (number < 2 + kPathsMore) {
      const auto [key, value] = further_start(number - 2);
      return descent_task(training_, TokenOverlaps{key, value, 0, 0, 0});
    }
    return stochastic_task(training_, static_cast<Index>(number - 2 - kPathsMore));
  }
  double cost(std::size_t number) const override {
    const auto steps = static_cast<double>(training_->steps);
    if (number == 0 && !training_->on_manifold) return 1e-2 * steps;
    if (number < 2 + kPathsMore) return 2e-4 * steps;
    return 1.2e-5 * steps * training_->model.dimension * training_->model.length *
           static_cast<double>(training_->batch);
  }

  Tables summarise(std::span<const Record> records) const override {
    TableRows paths(descriptor_, "paths");
    const auto add_path = [&](const Record& record, const std::string& name) {
      for (std::size_t i = 0; i + kNotedNumbers <= record.size(); i += kNotedNumbers) {
        const TokenOverlaps o = overlaps_at(record, i);
        paths.add({name, record[i], o.key, o.value, risk_of(record[i], o), o.distance()});
      }
    };
    for (std::size_t i = 2; i < 2 + kPathsMore; ++i)
      add_path(records[i], "start " + std::to_string(i - 1));
    TableRows own(descriptor_, "path");
    for (std::size_t i = 0; i + kNotedNumbers <= std::max(records[0].size(), records[1].size());
         i += kNotedNumbers) {
      const bool has_descent = i + kNotedNumbers <= records[0].size();
      const bool has_flow = i + kNotedNumbers <= records[1].size();
      const TokenOverlaps descent = has_descent ? overlaps_at(records[0], i) : nowhere();
      const TokenOverlaps flow = has_flow ? overlaps_at(records[1], i) : nowhere();
      const double step = has_descent ? records[0][i] : records[1][i];
      own.add({step, descent.key, descent.value, has_descent ? risk_of(step, descent) : kNaN,
               descent.distance(), flow.key, flow.value, has_flow ? risk_of(step, flow) : kNaN});
    }
    TableRows stochastic(descriptor_, "stochastic");
    for (std::size_t at = 0, step = 0; step < training_->noted().size();
         ++step, at += kNotedNumbers) {
      Moments key, value, risk, distance;
      double when = kNaN;
      for (std::size_t i = 2 + kPathsMore; i < records.size(); ++i) {
        if (records[i].size() < at + kNotedNumbers) continue;
        const TokenOverlaps o = overlaps_at(records[i], at);
        when = records[i][at];
        // The two minima are mirror images; from the sphere either is reached.
        key.add(training_->on_manifold ? o.key : std::fabs(o.key));
        value.add(training_->on_manifold ? o.value : std::fabs(o.value));
        risk.add(risk_of(when, o));
        distance.add(o.distance());
      }
      if (!(key.count > 0)) break;
      stochastic.add({when, key.mean().value, key.mean().error, value.mean().value,
                      value.mean().error, risk.mean().value, risk.mean().error,
                      distance.mean().value, distance.mean().error});
    }
    TableRows field(descriptor_, "field");
    add_field(field);
    TableRows summary(descriptor_, "summary");
    const bool done = records[0].size() >= kNotedNumbers;
    const std::size_t last = done ? records[0].size() - kNotedNumbers : 0;
    const TokenOverlaps end = done ? overlaps_at(records[0], last) : nowhere();
    const double when = done ? records[0][last] : 0;
    summary.add({when, end.key, end.value, done ? risk_of(when, end) : kNaN,
                 needle::linear_regression_risk(training_->model), best_lambda(),
                 training_->schedule.at(when)});
    return {own.take(), paths.take(), stochastic.take(), field.take(), summary.take()};
  }

 private:
  static TokenOverlaps nowhere() { return {kNaN, kNaN, kNaN, kNaN, kNaN}; }
  static TokenOverlaps overlaps_at(const Record& record, std::size_t at) {
    return {record[at + 1], record[at + 2], record[at + 3], record[at + 4], record[at + 5]};
  }
  double risk_of(double step, const TokenOverlaps& o) const {
    return needle::token_risk(training_->model, o, training_->schedule.at(step)).risk;
  }
  static std::pair<double, double> further_start(std::size_t i) {
    constexpr double kStarts[kPathsMore][2] = {{.05, -.04}, {-.05, -.05}, {-.05, .05}, {.9, -.5},
                                               {-.9, .5},   {.3, .9},     {-.5, -.9}};
    return {kStarts[i][0], kStarts[i][1]};
  }
  // Arrows of the flow, all of the same small length.
  void add_field(TableRows& field) const {
    for (Index i = 0; i < kField; ++i)
      for (Index j = 0; j < kField; ++j) {
        const double key = -0.96 + 1.92 * static_cast<double>(i) / (kField - 1);
        const double value = -0.96 + 1.92 * static_cast<double>(j) / (kField - 1);
        const needle::ManifoldSlope slope =
            needle::manifold_slope(training_->model, key, value, training_->schedule.first);
        const double x = -(1 - key * key) * slope.key, y = -(1 - value * value) * slope.value;
        const double size = std::sqrt(x * x + y * y);
        if (!(size > 1e-300)) continue;
        field.add({key, value, key + 0.07 * x / size, value + 0.07 * y / size, size});
      }
  }
  // The lambda that makes the aligned predictor best, on a grid of one per cent.
  double best_lambda() const {
    double best = kNaN, lowest = std::numeric_limits<double>::infinity();
    for (double lambda = 1e-3; lambda < 10; lambda *= 1.01) {
      const double risk = needle::manifold_risk(training_->model, 1, 1, lambda);
      if (risk < lowest) {
        lowest = risk;
        best = lambda;
      }
    }
    return best;
  }

  const Descriptor& descriptor_;
  std::shared_ptr<const TokenTraining> training_;
  TokenOverlaps start_;
};

std::unique_ptr<Plan> prepare(const Values& values, std::uint64_t seed) {
  return std::make_unique<TrainingPlan>(values, seed);
}

const Registration kRegistration(kNeedleTraining, needle_training_descriptor, prepare);

}  // namespace
}  // namespace attnlab::experiments

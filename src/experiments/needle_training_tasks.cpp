#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "core/portable.h"
#include "core/random.h"
#include "experiments/needle_setup.h"
#include "experiments/needle_training.h"

namespace attnlab::experiments {

using needle::TokenOverlaps;

namespace {

constexpr Index kPoints = 60;  // of a path
enum Purpose : std::uint64_t { kStochastic = 0x4e51, kSphere };

void note(Record& record, Index step, const TokenOverlaps& o) {
  record.insert(record.end(), {static_cast<double>(step), o.key, o.value, o.value_on_key,
                               o.key_on_value, o.key_value});
}

// Projected gradient descent in overlaps, exact in R^d. Record: the noted overlaps.
class DescentTask final : public PiecewiseTask {
 public:
  DescentTask(std::shared_ptr<const TokenTraining> training, const TokenOverlaps& start)
      : training_(std::move(training)), noted_(training_->noted()), overlaps_(start) {}
  double progress() const override {
    return static_cast<double>(step_) / static_cast<double>(training_->steps);
  }
  Record record() const override { return record_; }

 private:
  bool advance() override {
    for (int i = 0; i < 200; ++i) {
      if (step_ == noted_[next_]) {
        note(record_, step_, overlaps_);
        if (++next_ == noted_.size()) return true;
      }
      overlaps_ = needle::projected_step(training_->model, overlaps_,
                                         training_->schedule.at(static_cast<double>(step_)),
                                         training_->rate);
      ++step_;
    }
    return false;
  }

  std::shared_ptr<const TokenTraining> training_;
  std::vector<Index> noted_;
  TokenOverlaps overlaps_;
  Index step_ = 0;
  std::size_t next_ = 0;
  Record record_;
};

// The gradient flow on the manifold from the start's kappa and nu. Record as above.
class FlowTask final : public PiecewiseTask {
 public:
  FlowTask(std::shared_ptr<const TokenTraining> training, double key, double value)
      : training_(std::move(training)), noted_(training_->noted()), at_{key, value} {
    note(record_, 0, {key, value, 0, 0, 0});
  }
  double progress() const override {
    return static_cast<double>(noted_[next_ - 1]) / static_cast<double>(training_->steps);
  }
  Record record() const override { return record_; }

 private:
  bool advance() override {
    if (next_ == noted_.size()) return true;
    const double rate = training_->rate;
    const auto lambda = [&](double t) { return training_->schedule.at(t / rate); };
    // At most 500 steps of the rule at once.
    const double to = rate * static_cast<double>(noted_[next_]);
    const double until = std::min(to, time_ + 500 * kFlowStep);
    at_ = needle::manifold_flow(training_->model, at_, lambda, time_, until, kFlowStep);
    time_ = until;
    if (time_ < to) return false;
    note(record_, noted_[next_], {at_[0], at_[1], 0, 0, 0});
    return ++next_ == noted_.size();
  }

  static constexpr double kFlowStep = 0.02;
  std::shared_ptr<const TokenTraining> training_;
  std::vector<Index> noted_;
  std::array<double, 2> at_;
  double time_ = 0;
  std::size_t next_ = 1;
  Record record_;
};

// Stochastic descent on prompts. Record as above.
class StochasticTask final : public PiecewiseTask {
 public:
  StochasticTask(std::shared_ptr<const TokenTraining> training, Index replicate)
      : training_(std::move(training)), noted_(training_->noted()), replicate_(replicate) {}
  double progress() const override {
    return descent_ ? static_cast<double>(descent_->steps()) / static_cast<double>(training_->steps)
                    : 0.0;
  }
  Record record() const override { return record_; }
  std::optional<std::int64_t> diverged_at() const override {
    if (finite_) return std::nullopt;
    return descent_->steps();
  }

 private:
  bool advance() override {
    if (!descent_) {
      descent_ = std::make_unique<needle::TokenDescent>(
          training_->model, training_->schedule, training_->rate, training_->batch,
          training_->noise,
          RandomStream(training_->seed,
                       stream_of({kStochastic, static_cast<std::uint64_t>(replicate_)})));
      if (training_->on_manifold)
        descent_->start_on_manifold(training_->start_key, training_->start_value);
      return false;
    }
    // About a tenth of a million drawn numbers.
    const double numbers = training_->model.dimension * training_->model.length *
                           static_cast<double>(training_->batch);
    for (double done = 0; done < 1e5; done += numbers) {
      if (descent_->steps() == noted_[next_]) {
        const TokenOverlaps overlaps = descent_->overlaps();
        finite_ = std::isfinite(overlaps.key + overlaps.value);
        if (!finite_) return true;
        note(record_, descent_->steps(), overlaps);
        if (++next_ == noted_.size()) return true;
      }
      descent_->step();
    }
    return false;
  }

  std::shared_ptr<const TokenTraining> training_;
  std::vector<Index> noted_;
  Index replicate_;
  std::unique_ptr<needle::TokenDescent> descent_;
  std::size_t next_ = 0;
  bool finite_ = true;
  Record record_;
};

}  // namespace

std::vector<Index> TokenTraining::noted() const {
  std::vector<Index> at = {0};
  const double growth = portable::pow(static_cast<double>(steps), 1.0 / (kPoints - 2));
  double next = 1;
  while (at.back() < steps) {
    at.push_back(std::min(steps, std::max(at.back() + 1, static_cast<Index>(next))));
    next *= growth;
  }
  return at;
}

TokenOverlaps sphere_start(const TokenTraining& training) {
  const auto d = static_cast<Index>(training.model.dimension);
  RandomStream random(training.seed, stream_of({kSphere}));
  const Vector key = random.gaussian_vector(d).normalized();
  const Vector value = random.gaussian_vector(d).normalized();
  return {key[0], value[1], value[0], key[1], key.dot(value)};
}

std::unique_ptr<Task> descent_task(std::shared_ptr<const TokenTraining> training,
                                   const TokenOverlaps& start) {
  return std::make_unique<DescentTask>(std::move(training), start);
}

std::unique_ptr<Task> flow_task(std::shared_ptr<const TokenTraining> training, double key,
                                double value) {
  return std::make_unique<FlowTask>(std::move(training), key, value);
}

std::unique_ptr<Task> stochastic_task(std::shared_ptr<const TokenTraining> training,
                                      Index replicate) {
  return std::make_unique<StochasticTask>(std::move(training), replicate);
}

}  // namespace attnlab::experiments

#include "regression/integrate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "core/portable.h"
#include "core/require.h"

namespace attnlab::regression {
namespace {

constexpr std::size_t kStages = 7;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Row s: weights of the earlier stages; the last row is also the solution of order 5.
constexpr std::array<std::array<double, kStages - 1>, kStages> kWeights = {{
    {},
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84},
}};
// Order 5 less order 4.
constexpr std::array<double, kStages> kError = {
    71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40};

struct Step {
  Vector state;
  Vector slope;  // at the new state
  double error;  // in units of the tolerance
};

Step take_step(const VectorField& field, const Vector& state, const Vector& slope, double dt,
               double tolerance) {
  std::array<Vector, kStages> k;
  k[0] = slope;
  Vector next = state;
  for (std::size_t s = 1; s < kStages; ++s) {
    next = state;
    for (std::size_t j = 0; j < s; ++j)
      next += (dt * kWeights[s][j]) * k[j];
    // Too long a step: a field need not be asked there.
    if (!next.allFinite()) return {next, slope, kInfinity};
    k[s] = field(next);
  }
  Vector difference = Vector::Zero(state.size());
  for (std::size_t s = 0; s < kStages; ++s)
    difference += (dt * kError[s]) * k[s];
  double worst = 0;
  for (Index i = 0; i < state.size(); ++i) {
    const double unit = tolerance * (1 + std::max(std::fabs(state(i)), std::fabs(next(i))));
    const double error = std::fabs(difference(i)) / unit;
    // Written so that NaN counts as too large.
    worst = error <= worst ? worst : error;
  }
  return {next, k[kStages - 1], worst};
}

constexpr int kMostSteps = 5000000;
// So often is looked whether the steps still grow.
constexpr int kLookEvery = 50000;

}  // namespace

Integration::Integration(VectorField field, const Vector& start, std::vector<double> times,
                         double tolerance)
    : field_(std::move(field)), times_(std::move(times)), tolerance_(tolerance), state_(start) {
  require_finite_vector(start, "start");
  require_range(tolerance, 1e-13, 1e-2, "tolerance");
  double before = 0;
  for (const double time : times_) {
    require_finite(time, "times");
    if (time < before)
      fail(ErrorCode::kOutOfRange, "times",
           "has " + show(time) + " after " + show(before) + "; ascending, from 0 on, is expected");
    before = time;
  }
  slope_ = field_(state_);
}

bool Integration::advance(int steps) {
  for (;;) {
    while (states_.size() < times_.size() && !(time_ < times_[states_.size()]))
      states_.push_back(state_);
    if (states_.size() == times_.size()) return true;
    if (steps-- <= 0) return false;
    step(times_[states_.size()]);
  }
}

void Integration::step(double target) {
  const double left = target - time_;
  const bool last = dt_ >= left;
  const Step step = take_step(field_, state_, slope_, last ? left : dt_, tolerance_);
  // 0.9 and the bounds 0.2 and 5 keep the step from hunting.
  const double factor =
      std::isfinite(step.error)
          ? std::clamp(0.9 * portable::pow(std::max(step.error, 1e-10), -0.2), 0.2, 5.0)
          : 0.2;
  if (step.error <= 1) {
    state_ = step.state;
    slope_ = step.slope;
    time_ = last ? target : time_ + dt_;
    if (!last || factor < 1) dt_ *= factor;
  } else {
    dt_ = (last ? left : dt_) * factor;
  }
  // Where it runs away, the steps shrink until they move nothing.
  if (!(time_ + dt_ > time_))
    fail(ErrorCode::kDomain, "times", "reach beyond where the solution stays finite");
  if (++taken_ % kLookEvery != 0) return;
  // Where the steps do not grow, those that are left can be counted long before.
  const bool grows = taken_ == kLookEvery || dt_ > 2 * looked_at_;
  looked_at_ = dt_;
  const double needed = taken_ + (times_.back() - time_) / dt_;
  if (taken_ >= kMostSteps || (!grows && needed > 2.0 * kMostSteps))
    fail(ErrorCode::kDomain, "times",
         "reach further than " + std::to_string(kMostSteps) +
             " steps of the solution, which changes too fast; " + show(time_) + " is reached");
}

std::vector<Vector> integrate(const VectorField& field, const Vector& start,
                              const std::vector<double>& times, double tolerance) {
  Integration integration(field, start, times, tolerance);
  while (!integration.advance(kMostSteps)) {
  }
  return integration.states();
}

}  // namespace attnlab::regression

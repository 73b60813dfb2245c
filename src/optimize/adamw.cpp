#include "optimize/adamw.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/portable.h"
#include "core/require.h"

namespace attnlab::optimize {

double schedule_factor(Schedule schedule, Index step, Index steps, Index warm_up) {
  constexpr double kPi = 3.141592653589793;
  if (step < warm_up) return static_cast<double>(step + 1) / static_cast<double>(warm_up);
  const auto whole = static_cast<double>(std::max<Index>(1, steps - warm_up));
  const double part = std::clamp(static_cast<double>(step - warm_up) / whole, 0.0, 1.0);
  switch (schedule) {
    case Schedule::kConstant:
      return 1;
    case Schedule::kCosine:
      return 0.5 * (1 + portable::cos(kPi * part));
    case Schedule::kLinear:
      return 1 - part;
  }
  return 1;
}

AdamW::AdamW(Vector start, const AdamWOptions& options)
    : options_(options), point_(std::move(start)) {
  constexpr double kBelowOne = 0.9999999999999999;
  if (point_.size() < 1) fail(ErrorCode::kShape, "start", "has no entries");
  require_finite_vector(point_, "start");
  require_range(options_.rate, 1e-300, 1e300, "rate");
  require_range(options_.beta1, 0, kBelowOne, "beta1");
  require_range(options_.beta2, 0, kBelowOne, "beta2");
  require_range(options_.epsilon, 1e-300, 1e300, "epsilon");
  require_range(options_.weight_decay, 0, 1e300, "weightDecay");
  first_ = Vector::Zero(point_.size());
  second_ = Vector::Zero(point_.size());
}

bool AdamW::step(const VectorRef& gradient, double factor) {
  require_shape(gradient.size(), 1, point_.size(), 1, "gradient");
  before_ = point_;
  power1_ *= options_.beta1;
  power2_ *= options_.beta2;
  const double rate = options_.rate * factor;
  for (Index i = 0; i < point_.size(); ++i) {
    const double g = gradient(i);
    first_(i) = options_.beta1 * first_(i) + (1 - options_.beta1) * g;
    second_(i) = options_.beta2 * second_(i) + (1 - options_.beta2) * g * g;
    const double mean = first_(i) / (1 - power1_);
    const double square = second_(i) / (1 - power2_);
    point_(i) -=
        rate * (mean / (std::sqrt(square) + options_.epsilon) + options_.weight_decay * point_(i));
  }
  ++steps_;
  if (point_.allFinite()) return true;
  point_ = before_;
  return false;
}

}  // namespace attnlab::optimize

#include "optimize/gradient_descent.h"

#include <cmath>
#include <limits>
#include <utility>

#include "core/error.h"
#include "core/require.h"

namespace attnlab::optimize {

GradientDescent::GradientDescent(Vector start, DescentOptions options)
    : options_(std::move(options)), point_(std::move(start)), before_(point_) {
  if (point_.size() < 1) fail(ErrorCode::kShape, "start", "at least one variable is expected");
  require_finite_vector(point_, "start");
  require_finite(options_.rate, "rate");
  if (!(options_.rate > 0)) fail(ErrorCode::kOutOfRange, "rate", "must be positive");
  require_range(static_cast<double>(options_.largest_steps), 1, 1e12, "steps");
  require_range(options_.gradient_tolerance, 0, std::numeric_limits<double>::infinity(),
                "gradientTolerance");
}

void GradientDescent::tell(double value, const VectorRef& gradient) {
  if (!running()) return;
  require_shape(gradient.size(), 1, point_.size(), 1, "gradient");
  if (!std::isfinite(value) || !gradient.allFinite()) {
    point_ = before_;
    reason_ = StopReason::kNotFinite;
    return;
  }
  value_ = value;
  gradient_size_ = gradient.cwiseAbs().maxCoeff();
  before_ = point_;
  if (gradient_size_ <= options_.gradient_tolerance) {
    reason_ = StopReason::kGradient;
    return;
  }
  if (steps_ >= options_.largest_steps) {
    reason_ = StopReason::kEvaluations;
    return;
  }
  const double rate = options_.schedule ? options_.schedule(steps_) : options_.rate;
  point_ -= rate * gradient;
  ++steps_;
}

Minimum descend(const Objective& objective, Vector start, const DescentOptions& options) {
  GradientDescent search(std::move(start), options);
  Vector gradient(search.point().size());
  Index evaluations = 0;
  while (search.running()) {
    const double value = objective(search.point(), gradient);
    search.tell(value, gradient);
    ++evaluations;
  }
  return {search.point(), search.value(), search.gradient_size(),
          evaluations,    search.steps(), search.reason()};
}

}  // namespace attnlab::optimize

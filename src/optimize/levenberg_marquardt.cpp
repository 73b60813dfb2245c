#include "optimize/levenberg_marquardt.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/require.h"

namespace attnlab::optimize {

LevenbergMarquardt::LevenbergMarquardt(Vector start, const LeastSquaresOptions& options)
    : options_(options), trial_(std::move(start)), accepted_(trial_) {
  if (trial_.size() < 1) fail(ErrorCode::kShape, "start", "has no entries");
  require_finite_vector(trial_, "start");
  require_range(static_cast<double>(options_.largest_evaluations), 1, 1e9, "evaluations");
}

void LevenbergMarquardt::tell(const VectorRef& residual, const Eigen::MatrixXd& jacobian) {
  require_shape(jacobian.rows(), jacobian.cols(), residual.size(), trial_.size(), "jacobian");
  ++evaluations_;
  const double value = residual.squaredNorm();
  const bool finite = std::isfinite(value) && jacobian.allFinite();
  if (damping_ < 0) {  // the start
    if (!finite) {
      reason_ = StopReason::kNotFinite;
      return;
    }
  } else {
    // Gain: actual over predicted fall of the value.
    const double predicted = step_.dot(damping_ * step_ - gradient_);
    const double gain = finite && predicted > 0 ? (value_ - value) / predicted : -1;
    if (!(gain > 0)) {
      damping_ *= growth_;
      growth_ *= 2;
      if (growth_ > 1e12)
        reason_ = StopReason::kDecrease;
      else if (evaluations_ >= options_.largest_evaluations)
        reason_ = StopReason::kEvaluations;
      else
        propose();
      return;
    }
    const double cube = 2 * gain - 1;
    damping_ *= std::max(1.0 / 3, 1 - cube * cube * cube);
    growth_ = 2;
  }
  accepted_ = trial_;
  value_ = value;
  residual_ = residual;
  jacobian_ = jacobian;
  gradient_ = jacobian_.transpose() * residual_;
  if (damping_ < 0)
    damping_ =
        options_.first_damping * std::max(1e-300, jacobian_.colwise().squaredNorm().maxCoeff());
  if (jacobian_.rows() < jacobian_.cols())
    normal_ = jacobian_ * jacobian_.transpose();
  else
    normal_ = jacobian_.transpose() * jacobian_;
  if (value_ <= options_.value_tolerance)
    reason_ = StopReason::kDecrease;
  else if (gradient_.cwiseAbs().maxCoeff() <= options_.gradient_tolerance)
    reason_ = StopReason::kGradient;
  else if (evaluations_ >= options_.largest_evaluations)
    reason_ = StopReason::kEvaluations;
  else
    propose();
}

void LevenbergMarquardt::propose() {
  Eigen::MatrixXd damped = normal_;
  damped.diagonal().array() += damping_;
  const Eigen::LLT<Eigen::MatrixXd> factor(damped);
  if (jacobian_.rows() < jacobian_.cols())
    step_ = -(jacobian_.transpose() * factor.solve(Eigen::VectorXd(residual_)));
  else
    step_ = -factor.solve(gradient_);
  trial_ = accepted_ + step_;
}

Minimum minimise_squares(const Residuals& residuals, Vector start,
                         const LeastSquaresOptions& options) {
  LevenbergMarquardt search(std::move(start), options);
  Vector residual;
  Eigen::MatrixXd jacobian;
  while (search.running()) {
    residuals(search.point(), residual, jacobian);
    search.tell(residual, jacobian);
  }
  Minimum minimum;
  minimum.point = search.best();
  minimum.value = search.value();
  minimum.evaluations = search.evaluations();
  minimum.iterations = search.evaluations();
  minimum.reason = search.reason();
  return minimum;
}

}  // namespace attnlab::optimize

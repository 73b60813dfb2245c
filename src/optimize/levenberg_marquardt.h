// Levenberg and Marquardt's method for sums of squares, with Nielsen's damping (Madsen, Nielsen,
// Tingleff, "Methods for non-linear least squares problems", 2nd ed., Algorithm 3.16).
//
// Ask and tell, as optimize/lbfgs.h: the caller evaluates residuals and Jacobian at point() in as
// many slices as it likes. A step costs min(n, m)^2 max(n, m) for n unknowns and m residuals: the
// smaller of J^T J and J J^T is factorised, so under-determined problems are as cheap as
// over-determined ones. Memory n m. Deterministic.
#pragma once

#include <Eigen/Core>
#include <functional>

#include "core/types.h"
#include "optimize/lbfgs.h"

namespace attnlab::optimize {

struct LeastSquaresOptions {
  Index largest_evaluations = 500;
  double value_tolerance = 1e-30;     // stops at |r|^2 below this
  double gradient_tolerance = 1e-15;  // stops at largest |J^T r| entry below this
  double first_damping = 1e-3;        // relative to the largest |column of J|^2
};

class LevenbergMarquardt {
 public:
  // Throws Error ("start", "evaluations").
  explicit LevenbergMarquardt(Vector start, const LeastSquaresOptions& options = {});

  bool running() const { return reason_ == StopReason::kRunning; }
  // kGradient, kDecrease (value below its tolerance, or the damping has grown without success),
  // kEvaluations, kNotFinite (at the start).
  StopReason reason() const { return reason_; }
  const Vector& point() const { return trial_; }
  // residual: m; jacobian: m x n, both at point().
  void tell(const VectorRef& residual, const Eigen::MatrixXd& jacobian);

  const Vector& best() const { return accepted_; }
  double value() const { return value_; }  // |r|^2 at best()
  Index evaluations() const { return evaluations_; }

 private:
  void propose();

  LeastSquaresOptions options_;
  StopReason reason_ = StopReason::kRunning;
  Vector trial_, accepted_, residual_;
  Eigen::MatrixXd jacobian_, normal_;
  Eigen::VectorXd gradient_, step_;
  double value_ = 0, damping_ = -1, growth_ = 2;
  Index evaluations_ = 0;
};

using Residuals =
    std::function<void(const Vector& point, Vector& residual, Eigen::MatrixXd& jacobian)>;
// Runs to the end.
Minimum minimise_squares(const Residuals& residuals, Vector start,
                         const LeastSquaresOptions& options = {});

}  // namespace attnlab::optimize

// Plain gradient descent: point <- point - rate(t) gradient, t = 0, 1, ...
// The same ask and tell as optimize/lbfgs.h, so that a step can be cut into slices.
#pragma once

#include <functional>

#include "optimize/lbfgs.h"

namespace attnlab::optimize {

struct DescentOptions {
  double rate = 1e-2;  // > 0
  // Used in place of `rate` when given: the rate at step t.
  std::function<double(Index)> schedule;
  Index largest_steps = 10000;       // >= 1
  double gradient_tolerance = 1e-8;  // >= 0
};

class GradientDescent {
 public:
  // Throws Error ("start", "rate", "steps", ...).
  explicit GradientDescent(Vector start, DescentOptions options = {});

  bool running() const { return reason_ == StopReason::kRunning; }
  // kEvaluations: the allowed steps are used up. kNotFinite: it diverged; point() is then the last
  // finite one.
  StopReason reason() const { return reason_; }
  const Vector& point() const { return point_; }
  // Value and gradient at point(); takes one step.
  void tell(double value, const VectorRef& gradient);

  double value() const { return value_; }  // at the last point told
  double gradient_size() const { return gradient_size_; }
  Index steps() const { return steps_; }

 private:
  DescentOptions options_;
  StopReason reason_ = StopReason::kRunning;
  Vector point_;
  Vector before_;
  double value_ = 0;
  double gradient_size_ = 0;
  Index steps_ = 0;
};

Minimum descend(const Objective& objective, Vector start, const DescentOptions& options = {});

}  // namespace attnlab::optimize

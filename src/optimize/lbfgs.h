// Limited-memory BFGS for smooth functions of many variables (Nocedal & Wright, "Numerical
// Optimization", 2nd ed., Algorithm 7.4), with a line search that meets the weak Wolfe conditions
// (Lewis & Overton 2013), so that the curvature pairs stay positive.
//
// Ask and tell: the caller evaluates the function wherever and in as many slices as it likes.
//   Lbfgs search(start, {});
//   while (search.running()) { value = f(search.point(), gradient); search.tell(value, gradient); }
// Memory 2 m n numbers; work between two evaluations 4 m n multiplications. Deterministic.
// Not for noisy gradients or for constraints.
#pragma once

#include <functional>
#include <vector>

#include "core/types.h"

namespace attnlab::optimize {

enum class StopReason {
  kRunning,
  kGradient,     // largest |gradient entry| <= gradientTolerance
  kDecrease,     // the value has stopped falling by more than valueTolerance, relatively
  kEvaluations,  // the allowed evaluations are used up
  kLineSearch,   // no better point along the direction: rounding, or a kink
  kNotFinite     // NaN or an infinity at an accepted point or at the start
};

// Value at a point, writes the gradient (already of the point's size).
using Objective = std::function<double(const Vector& point, Vector& gradient)>;

struct LbfgsOptions {
  Index memory = 20;                 // m, in [1, 100]
  Index largest_evaluations = 2000;  // >= 1
  double gradient_tolerance = 1e-8;  // >= 0
  double value_tolerance = 1e-13;    // >= 0; for five accepted steps in a row
  double first_step = 1;             // length of the first trial step; > 0
};

class Lbfgs {
 public:
  // start: n >= 1 finite numbers. Throws Error ("start", "memory", "evaluations", ...).
  explicit Lbfgs(Vector start, const LbfgsOptions& options = {});

  bool running() const { return reason_ == StopReason::kRunning; }
  StopReason reason() const { return reason_; }
  // Where the function is to be evaluated next.
  const Vector& point() const { return trial_; }
  // The function's value and gradient at point(). A value that is not finite counts as too far.
  void tell(double value, const VectorRef& gradient);

  // The best accepted point so far.
  const Vector& best() const { return accepted_; }
  double value() const { return value_; }
  double gradient_size() const;  // largest |entry| there
  Index evaluations() const { return evaluations_; }
  Index iterations() const { return iterations_; }

 private:
  struct Pair {
    Vector step;
    Vector change;  // of the gradient
    double inverse_curvature;
  };
  void begin_line();
  void accept(double value, const VectorRef& gradient);
  Vector direction() const;
  void next_length(double value, double slope);
  void finish(StopReason reason) { reason_ = reason; }

  LbfgsOptions options_;
  StopReason reason_ = StopReason::kRunning;
  Vector trial_, accepted_, gradient_, direction_;
  std::vector<Pair> pairs_;  // oldest first
  double value_ = 0;
  double slope_ = 0;  // along the direction, at the accepted point
  double length_ = 0, low_ = 0, high_ = 0;
  double low_value_ = 0, low_slope_ = 0;
  Index evaluations_ = 0, iterations_ = 0, line_trials_ = 0, flat_steps_ = 0;
  bool started_ = false;
};

struct Minimum {
  Vector point;
  double value = 0;
  double gradient_size = 0;
  Index evaluations = 0;
  Index iterations = 0;
  StopReason reason = StopReason::kRunning;
};

// Runs to the end.
Minimum minimise(const Objective& objective, Vector start, const LbfgsOptions& options = {});

}  // namespace attnlab::optimize

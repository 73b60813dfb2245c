// Adam with decoupled weight decay (Loshchilov & Hutter, "Decoupled weight decay regularization",
// ICLR 2019, Algorithm 2), and learning-rate schedules. For noisy gradients; a smooth function
// that can be evaluated whole is better served by optimize/lbfgs.h.
#pragma once

#include "core/types.h"

namespace attnlab::optimize {

enum class Schedule {
  kConstant,
  kCosine,  // from the full rate to 0 along half a cosine
  kLinear   // from the full rate to 0 along a line
};
// The factor on the rate at `step` of `steps`, after a linear warm-up over the first `warm_up`.
// In [0, 1].
double schedule_factor(Schedule schedule, Index step, Index steps, Index warm_up);

struct AdamWOptions {
  double rate = 1e-2;          // > 0
  double beta1 = 0.9;          // [0, 1)
  double beta2 = 0.999;        // [0, 1)
  double epsilon = 1e-8;       // > 0
  double weight_decay = 0.01;  // >= 0; the point shrinks by rate * weight_decay a step
};

class AdamW {
 public:
  // Throws Error (start, rate, beta1, beta2, epsilon, weightDecay).
  AdamW(Vector start, const AdamWOptions& options);
  const Vector& point() const { return point_; }
  Index steps() const { return steps_; }
  // One step along a gradient at point(). factor multiplies the rate. Returns false, and leaves
  // the point as it is, when the step would leave the finite numbers.
  bool step(const VectorRef& gradient, double factor = 1);

 private:
  AdamWOptions options_;
  Vector point_, first_, second_, before_;
  double power1_ = 1, power2_ = 1;  // beta^t
  Index steps_ = 0;
};

}  // namespace attnlab::optimize

// Ordinary differential equations y' = f(y) by an embedded Runge-Kutta pair.
#pragma once

#include <functional>
#include <vector>

#include "core/types.h"

namespace attnlab::regression {

using VectorField = std::function<Vector(const Vector& state)>;

// y at the given times (ascending, >= 0), from `start` at time 0, by Dormand & Prince 5(4) (J.
// Comp. Appl. Math. 6, 1980) with steps chosen so that the estimated error of each, in units of
// tolerance (1 + |y|) entry by entry, stays below one. tolerance in [1e-13, 1e-2]. Not for stiff
// systems. Throws out-of-range ("times", "tolerance"), kDomain ("times") when the solution stops
// being finite or needs more than five million steps, early where that can be foreseen.
class Integration {
 public:
  Integration(VectorField field, const Vector& start, std::vector<double> times, double tolerance);

  // Takes at most this many steps more; true when the last time is reached.
  bool advance(int steps);
  // y at the times reached so far.
  const std::vector<Vector>& states() const { return states_; }

 private:
  void step(double target);

  VectorField field_;
  std::vector<double> times_;
  double tolerance_;
  Vector state_;
  Vector slope_;
  double time_ = 0;
  double dt_ = 1e-3;
  int taken_ = 0;
  double looked_at_ = 0;  // the step at the last look
  std::vector<Vector> states_;
};

// The same at once.
std::vector<Vector> integrate(const VectorField& field, const Vector& start,
                              const std::vector<double>& times, double tolerance);

}  // namespace attnlab::regression

// The slope of a log-log curve of simulated points.
#pragma once

#include <span>

#include "core/types.h"

namespace attnlab::experiments {

struct Slope {
  double value = 0;  // NaN when fewer than two points can be used
  double error = 0;  // one standard error, from the points' own
  Index points = 0;
};

// Least-squares slope of log y against log x, every point with the same weight, so that a curved
// set of points has one plain meaning: its mean slope over the range. The points' errors (one
// standard error of each y, independent of each other) are carried through to the slope's. Points
// with x < from, or y or its error not positive and finite, are left out.
Slope log_slope(std::span<const double> x, std::span<const double> y, std::span<const double> error,
                double from);

}  // namespace attnlab::experiments

// Smallest value of a function of one or two numbers, without derivatives. For smooth functions that
// cost little; deterministic.
#pragma once

#include <functional>

namespace attnlab::needle {

struct ScalarMinimum {
  double argument = 0;
  double value = 0;
};

// A grid of `points` over [lower, upper], then Brent's method between the neighbours of its smallest
// value, to the given width. Finds the global minimum where the grid separates the local ones.
ScalarMinimum minimise_scalar(const std::function<double(double)>& function, double lower,
                              double upper, int points, double width);

}  // namespace attnlab::needle

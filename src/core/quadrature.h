// Gauss rules.
#pragma once

#include "core/types.h"

namespace attnlab {

struct QuadratureRule {
  Vector nodes;    // ascending
  Vector weights;  // positive
};

// Expectation over N(0, 1): sum_i w_i f(x_i), exact for polynomials up to degree 2 n - 1.
// The weights sum to one. n in [1, 400].
QuadratureRule gauss_hermite(Index n);
// Integral over [lower, upper]. n in [1, 1000].
QuadratureRule gauss_legendre(Index n, double lower = -1, double upper = 1);

}  // namespace attnlab

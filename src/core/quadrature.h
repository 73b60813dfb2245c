// Gauss rules.
#pragma once

#include "core/types.h"

namespace attnlab {

struct QuadratureRule {
  Vector nodes;    // ascending
  Vector weights;  // positive, or 0 where they underflow
};

// Expectation over N(0, 1): sum_i w_i f(x_i), exact for polynomials up to degree 2 n - 1.
// n in [1, 400] (error: n). The weights sum to one within 1e-13. Nodes are within 1e-14 and weights
// within 1e-12 of their own size; weights below the range of a double (outermost nodes from n = 370
// on) are 0. Cost: n^2 times 90 ns.
QuadratureRule gauss_hermite(Index n);

// Integral over [lower, upper]: sum_i w_i f(x_i), exact for polynomials up to degree 2 n - 1.
// n in [1, 1000] (error: n); bounds finite (errors: lower, upper). Nodes are within 1e-15 of
// upper - lower, weights within 1e-12 of their own size. Cost: n^2 times 32 ns.
QuadratureRule gauss_legendre(Index n, double lower = -1, double upper = 1);

}  // namespace attnlab

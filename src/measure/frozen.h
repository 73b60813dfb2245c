// The other end of the scale: a softmax so sharp that one token takes all weight.
#pragma once

#include "core/types.h"

namespace attnlab::measure {

// Mean and mean square of the largest of n independent standard normals, by Gauss-Legendre
// quadrature of n phi Phi^(n - 1); absolute error below 1e-9 for n from 1 to 1e9.
struct LargestNormal {
  double mean = 0;
  double mean_square = 0;
};
LargestNormal largest_normal(double n);

// Root mean square of |x* - (G a + m)|, x* the token with the largest score <a, x> of n independent
// tokens of N(m, G): the error of an attention that is frozen on the largest score. With
// v = a^T G a and M the largest of n normals it is |G a|^2 E (M - sqrt v)^2 / v + tr G - |G a|^2 /
// v, square-rooted. Where v = 0 every token has the same score: sqrt(tr G). Softmax attention
// follows it for n well below e^{v / 2} only.
double frozen_output_error(const MatrixRef& covariance, const VectorRef& a, double n);

}  // namespace attnlab::measure

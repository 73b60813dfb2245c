#include "measure/frozen.h"

#include <algorithm>
#include <cmath>

#include "core/portable.h"
#include "core/quadrature.h"
#include "core/require.h"
#include "core/special.h"

namespace attnlab::measure {

LargestNormal largest_normal(double n) {
  require_range(n, 1, 1e9, "n");
  const double lower = -9;
  const double upper = 12;
  static const QuadratureRule rule = gauss_legendre(400, lower, upper);
  LargestNormal result;
  for (Index i = 0; i < rule.nodes.size(); ++i) {
    const double x = rule.nodes(i);
    // log Phi from the tail where Phi is near one.
    const double log_below =
        x > 0 ? portable::log1p(-normal_cdf(-x)) : portable::log(normal_cdf(x));
    const double density = n * normal_density(x) * portable::exp((n - 1) * log_below);
    result.mean += rule.weights(i) * x * density;
    result.mean_square += rule.weights(i) * x * x * density;
  }
  return result;
}

double frozen_output_error(const MatrixRef& covariance, const VectorRef& a, double n) {
  const Vector shift = covariance * a;
  const double v = a.dot(shift);
  if (!(v > 0)) return std::sqrt(covariance.trace());
  const LargestNormal largest = largest_normal(n);
  const double along = shift.squaredNorm() / v;
  const double gap = largest.mean_square - 2 * std::sqrt(v) * largest.mean + v;
  return std::sqrt(along * gap + std::max(0.0, covariance.trace() - along));
}

}  // namespace attnlab::measure

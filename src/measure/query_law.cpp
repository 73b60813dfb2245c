#include "measure/query_law.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "core/portable.h"
#include "core/require.h"

namespace attnlab::measure {

namespace {

// P(chi^2 with k degrees of freedom > x), k >= 1.
double chi_square_above(Index k, double x) {
  if (x <= 0) return 1;
  const bool odd = k % 2 == 1;
  double above = odd ? portable::erfc(std::sqrt(x / 2)) : portable::exp(-x / 2);
  // (x/2)^{j/2} e^{-x/2} / Gamma(j/2 + 1) for j = 1 or 2, then up by twos.
  double term =
      portable::exp(-x / 2) * (odd ? std::sqrt(x / 2) * std::numbers::inv_sqrtpi * 2 : x / 2);
  for (Index j = odd ? 1 : 2; j < k; j += 2) {
    above += term;
    term *= x / static_cast<double>(j + 2);
  }
  return above;
}

}  // namespace

double gaussian_query_constant(Index dimension, double strength) {
  require_range(static_cast<double>(dimension), 1, 1e6, "dimension");
  require_range(strength, 0, 1e12, "strength");
  if (strength >= 0.5) return std::numeric_limits<double>::infinity();
  const auto d = static_cast<double>(dimension);
  const double rest = 1 - 2 * strength;
  return d * portable::pow(rest, -d / 2) * (1 + strength / rest);
}

double gaussian_query_early_share(Index dimension, double strength, double n) {
  if (std::isinf(gaussian_query_constant(dimension, strength))) return 1;
  require_range(n, 1e-12, 1e300, "n");
  const double early = portable::log(n / 10) / 2;  // q beyond which n < 10 e^{2 q}
  if (early <= 0) return 1;
  if (strength == 0) return 0;
  // Weighted by e^q, |z|^2 is chi-square over 1 - 2 s2; the constant is the mean of d + q.
  const double rest = 1 - 2 * strength;
  const double beyond = early / strength * rest;
  const double slope = strength / rest;
  return (chi_square_above(dimension, beyond) + slope * chi_square_above(dimension + 2, beyond)) /
         (1 + slope);
}

double gaussian_query_exponent(double strength) {
  require_range(strength, 1e-12, 1e12, "strength");
  return strength <= 0.5 ? 1.0 : (std::sqrt(1 + 4 / strength) - 1) / 2;
}

}  // namespace attnlab::measure

#include <cmath>
#include <limits>

#include "core/double_double.h"
#include "core/portable.h"
#include "core/special.h"

namespace attnlab {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr DoubleDouble kRootHalf{0x1.6a09e667f3bcdp-1, -0x1.bdd3413b26456p-55};  // sqrt(1/2)

// Hastings' approximation of the upper quantile (Abramowitz and Stegun 26.2.23), within 4.5e-4,
// for p in (0, 1/2].
double rough_upper_quantile(double p) {
  const double t = std::sqrt(-2 * portable::log(p));
  return t - ((0.010328 * t + 0.802853) * t + 2.515517) /
                 (((0.001308 * t + 0.189269) * t + 1.432788) * t + 1);
}

}  // namespace

double normal_density(double x) {
  constexpr double kScale = 0.3989422804014327;  // 1 / sqrt(2 pi)
  if (!(std::fabs(x) < 40)) return std::isnan(x) ? x : 0;
  const DoubleDouble square = two_product(x, x);
  return kScale * portable::exp(-0.5 * square.high) * (1 - 0.5 * square.low);
}

double normal_cdf(double x) {
  constexpr double kRootPiInverse = 0.5641895835477563;  // 1 / sqrt(pi)
  if (!(std::fabs(x) < 40)) return std::isnan(x) ? x : (x > 0 ? 1 : 0);
  // erfc multiplies a relative error of y by 2 y^2 in its tail, so what rounding took from y is
  // put back by the derivative.
  const DoubleDouble y = DoubleDouble{-x, 0} * kRootHalf;
  const double value = 0.5 * portable::erfc(y.high);
  return value - kRootPiInverse * portable::exp(-y.high * y.high) * y.low;
}

double normal_quantile(double p) {
  if (!(p > 0 && p < 1)) {
    if (p == 0) return -kInfinity;
    return p == 1 ? kInfinity : std::numeric_limits<double>::quiet_NaN();
  }
  const bool upper = p > 0.5;
  const double tail = upper ? 1 - p : p;  // exact for p > 1/2
  double x = -rough_upper_quantile(tail);
  for (int step = 0; step < 3; ++step) {
    // Near the middle the difference from 1/2 keeps the digits that p itself does not show.
    const double excess =
        x > -0.5 ? 0.5 * portable::erf(x * kRootHalf.high) - (tail - 0.5) : normal_cdf(x) - tail;
    const double newton = excess / normal_density(x);
    x -= newton / (1 + 0.5 * x * newton);  // Halley's step: three times the digits
  }
  return upper ? -x : x;
}

}  // namespace attnlab

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/double_double.h"
#include "core/exponential.h"
#include "core/portable.h"

namespace attnlab::portable {

double exp(double x) {
  if (!(x < 710)) return std::isnan(x) ? x : std::numeric_limits<double>::infinity();
  if (x < -746) return 0;
  return exp_bounded<double, std::uint64_t>(x);
}

double expm1(double x) {
  if (!(x < 38)) return exp(x);  // the 1 is below half an ulp
  if (x < -38) return -1;
  if (std::fabs(x) < 0x1p-54) return x;  // also keeps -0
  const ReducedExponent<double> reduced = reduce_exponent(x);
  const double r = reduced.r;
  // e^r - 1 = r + tail; 2^n (r + tail) + (2^n - 1), of which the large parts are added exactly.
  const double tail = exponential_tail(r, reduced.low);
  const double scale = power_of_two<double, std::uint64_t>(reduced.n);
  const DoubleDouble whole = two_sum(scale, -1);
  const DoubleDouble sum = two_sum(whole.high, scale * r);
  return sum.high + ((sum.low + whole.low) + scale * tail);
}

double tanh(double x) {
  const double size = std::fabs(x);
  if (!(size < 20)) return std::isnan(x) ? x : std::copysign(1, x);  // 1 - tanh(20) < 2^-56
  if (size < 0x1p-28) return x;                                      // x^3 / 3 is below half an ulp
  const double grown = expm1(2 * size);
  const DoubleDouble below = two_sum(grown, 2);
  if (size < 0.55) return std::copysign((DoubleDouble{grown, 0} / below).high, x);
  return std::copysign(1 - 2 / below.high, x);
}

}  // namespace attnlab::portable

#include <cmath>
#include <cstdint>
#include <limits>

#include "core/double_double.h"
#include "core/exponential.h"
#include "core/logarithm.h"
#include "core/portable.h"

namespace attnlab::portable {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kSmallestNormal = std::numeric_limits<double>::min();

// A subnormal is first multiplied by 2^54.
SplitNumber<double> split_positive(double x) {
  const bool subnormal = x < kSmallestNormal;
  SplitNumber<double> split = split_number<double, std::uint64_t>(subnormal ? x * 0x1p54 : x);
  if (subnormal) split.k -= 54;
  return split;
}

// log(x) to about 2^-66 of its value, for finite x > 0.
DoubleDouble log_double_double(double x) {
  constexpr DoubleDouble kTwoThirds{0x1.5555555555555p-1, 0x1.5555555555555p-55};
  const SplitNumber<double> split = split_positive(x);
  const DoubleDouble s = DoubleDouble{split.f, 0} / two_sum(2, split.f);
  const DoubleDouble square = s * s;
  // P without its first coefficient, whose share is too large for a single double.
  double tail = kAtanhSeries.back();
  for (std::size_t i = kAtanhSeries.size() - 1; i-- > 1;)
    tail = tail * square.high + kAtanhSeries[i];
  const DoubleDouble series = square * (kTwoThirds + DoubleDouble{square.high * tail, 0});
  const DoubleDouble fraction = DoubleDouble{2 * s.high, 2 * s.low} + s * series;
  const DoubleDouble whole{split.k * kLog2High, 0};
  return (whole + DoubleDouble{split.k * kLog2Low, 0}) + fraction;
}

// base^exponent where an operand is 0, infinite or NaN, or the base negative.
double special_pow(double base, double exponent) {
  if (exponent == 0 || base == 1) return 1;
  if (std::isnan(base) || std::isnan(exponent) || base < 0) return kNaN;
  const bool grows = (base > 1) == (exponent > 0);
  return grows ? kInfinity : 0;
}

}  // namespace

double log(double x) {
  if (!(x > 0)) return x == 0 ? -kInfinity : kNaN;
  if (x == kInfinity) return x;
  const SplitNumber<double> split = split_positive(x);
  return log_split(split, split.k * kLog2Low);
}

double log1p(double x) {
  if (!(x > -1)) return x == -1 ? -kInfinity : kNaN;
  if (x == kInfinity || std::fabs(x) < 0x1p-54) return x;
  const DoubleDouble sum = two_sum(1, x);
  const SplitNumber<double> split = split_number<double, std::uint64_t>(sum.high);
  return log_split(split, split.k * kLog2Low + sum.low / sum.high);
}

double pow(double base, double exponent) {
  if (!(base > 0) || base == kInfinity || base == 1 || !std::isfinite(exponent) || exponent == 0)
    return special_pow(base, exponent);
  const DoubleDouble logarithm = log_double_double(base);
  const double rough = exponent * logarithm.high;
  if (rough > 710) return kInfinity;
  if (rough < -746) return 0;
  if (std::fabs(rough) < 0x1p-60) return 1;
  const DoubleDouble x = logarithm * DoubleDouble{exponent, 0};
  const ReducedExponent<double> reduced = reduce_exponent(x.high);
  const double r = reduced.r;
  const double low = reduced.low + x.low;
  const double tail = exponential_tail(r, low);
  const DoubleDouble sum = fast_two_sum(1, r);
  return scale_by_power_of_two<double, std::uint64_t>(sum.high + (sum.low + tail), reduced.n);
}

}  // namespace attnlab::portable

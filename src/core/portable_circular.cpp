#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/double_double.h"
#include "core/polynomial.h"
#include "core/portable.h"

namespace attnlab::portable {
namespace {

// x = quarter * pi/2 + (high + low) modulo a turn, |high| <= pi/4 and a little.
struct ReducedAngle {
  unsigned quarter;
  DoubleDouble rest;
};

constexpr DoubleDouble kHalfPi{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};

// |x| < 2^20: pi/2 in three parts of 33 bits, whose multiples by n < 2^20 are exact, and a fourth
// (Cody and Waite, "Software manual for the elementary functions", 1980).
ReducedAngle reduce_moderate(double x) {
  constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
  constexpr std::array<double, 4> kParts{0x1.921fb544p+0, 0x1.0b4611a6p-34, 0x1.3198a2ep-69,
                                         0x1.b839a252049c1p-104};
  const double n = std::floor(x * kTwoOverPi + 0.5);
  DoubleDouble rest{x - n * kParts[0], 0};
  for (std::size_t i = 1; i < kParts.size(); ++i)
    rest = rest + DoubleDouble{-(n * kParts[i]), 0};
  return {static_cast<unsigned>(static_cast<int>(n)) & 3U, rest};
}

struct Wide {
  std::uint64_t high;
  std::uint64_t low;
};

Wide multiply_wide(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t kLow = 0xffffffff;
  const std::uint64_t low = (a & kLow) * (b & kLow);
  const std::uint64_t middle = (a >> 32) * (b & kLow) + (low >> 32);
  const std::uint64_t cross = (a & kLow) * (b >> 32) + (middle & kLow);
  return {(a >> 32) * (b >> 32) + (middle >> 32) + (cross >> 32), (cross << 32) | (low & kLow)};
}

// 2^20 <= x < Infinity: x = m 2^e times those bits of 2/pi that make no whole turn (Payne and
// Hanek, "Radian reduction for trigonometric functions", 1983).
ReducedAngle reduce_huge(double x) {
  // 64 zeros, then the binary places of 2/pi.
  constexpr std::array<std::uint64_t, 21> kTwoOverPi{0,
                                                     0xa2f9836e4e441529,
                                                     0xfc2757d1f534ddc0,
                                                     0xdb6295993c439041,
                                                     0xfe5163abdebbc561,
                                                     0xb7246e3a424dd2e0,
                                                     0x06492eea09d1921c,
                                                     0xfe1deb1cb129a73e,
                                                     0xe88235f52ebb4484,
                                                     0xe99c7026b45f7e41,
                                                     0x3991d639835339f4,
                                                     0x9c845f8bbdf9283b,
                                                     0x1ff897ffde05980f,
                                                     0xef2f118b5a0a6d1f,
                                                     0x6d367ecf27cb09b7,
                                                     0x4f463f669e5fea2d,
                                                     0x7527bac7ebe5f17b,
                                                     0x3d0739f78a5292ea,
                                                     0x6bfb5fb11f8d5d08,
                                                     0x56033046fc7b6bab,
                                                     0xf0cfbc209af4361d};
  const auto word = std::bit_cast<std::uint64_t>(x);
  const std::uint64_t mantissa = (word & 0x000fffffffffffff) | 0x0010000000000000;
  // x = mantissa 2^e with e = (word >> 52) - 1075 >= -32; the first place wanted is e - 2 + 64.
  const std::uint64_t place = (word >> 52) - 1075 + 62;
  const std::size_t at = static_cast<std::size_t>(place >> 6);
  const auto shift = static_cast<unsigned>(place & 63);
  std::array<std::uint64_t, 3> bits{};  // 192 binary places, the highest first
  for (std::size_t i = 0; i < 3; ++i) {
    bits[i] = kTwoOverPi[at + i] << shift;
    if (shift != 0) bits[i] |= kTwoOverPi[at + i + 1] >> (64 - shift);
  }
  // mantissa * bits modulo 2^192, in units of 2^-190 quarter turns.
  const Wide product2 = multiply_wide(mantissa, bits[2]);
  const Wide product1 = multiply_wide(mantissa, bits[1]);
  const std::uint64_t low = product2.low;
  const std::uint64_t middle = product1.low + product2.high;
  const std::uint64_t carry = middle < product1.low ? 1 : 0;
  const std::uint64_t high = mantissa * bits[0] + product1.high + carry;
  // The fraction, shifted to the top, as a signed number: nearest quarter.
  std::uint64_t first = (high << 2) | (middle >> 62);
  std::uint64_t second = (middle << 2) | (low >> 62);
  std::uint64_t third = low << 2;
  auto quarter = static_cast<unsigned>(high >> 62);
  const bool negative = (first >> 63) != 0;
  if (negative) {
    ++quarter;
    third = ~third + 1;
    second = ~second + (third == 0 ? 1 : 0);
    first = ~first + (third == 0 && second == 0 ? 1 : 0);
  }
  // No double is so near a multiple of pi/2 that the first word is all zeros.
  const auto zeros = static_cast<unsigned>(std::countl_zero(first));
  if (zeros > 0) {
    first = (first << zeros) | (second >> (64 - zeros));
    second = (second << zeros) | (third >> (64 - zeros));
  }
  const double sign = negative ? -1 : 1;
  const double unit = std::ldexp(sign, -static_cast<int>(zeros));
  const DoubleDouble fraction{
      static_cast<double>(first >> 11) * 0x1p-53 * unit,
      static_cast<double>(((first & 0x7ff) << 53) | (second >> 11)) * 0x1p-117 * unit};
  return {quarter & 3U, kHalfPi * fast_two_sum(fraction.high, fraction.low)};
}

ReducedAngle reduce_angle(double size) {
  if (size <= 0.7853981633974483) return {0, {size, 0}};
  return size < 0x1p20 ? reduce_moderate(size) : reduce_huge(size);
}

double sine_near_zero(DoubleDouble angle) {
  // sin(r) = r + r^3 S(r^2) on |r| <= pi/4, error below 2^-55.
  constexpr std::array<double, 6> kSeries{-0.16666666666666666,    0.008333333333330936,
                                          -0.00019841269836740532, 2.7557316093198404e-06,
                                          -2.5051129896450185e-08, 1.5917988979397435e-10};
  const double r = angle.high;
  const double square = r * r;
  return r + (r * square * polynomial(square, kSeries) + angle.low * (1 - 0.5 * square));
}

double cosine_near_zero(DoubleDouble angle) {
  // cos(r) = 1 - r^2 / 2 + r^4 C(r^2) on |r| <= pi/4, error below 2^-60.
  constexpr std::array<double, 6> kSeries{0.041666666666666664,  -0.0013888888888887389,
                                          2.48015872987544e-05,  -2.755731726587808e-07,
                                          2.087614504941318e-09, -1.138254464534925e-11};
  const double r = angle.high;
  const double square = r * r;
  const double half = 0.5 * square;
  const double rounded = 1 - half;
  const double lost = (1 - rounded) - half;
  return rounded + (lost + (square * square * polynomial(square, kSeries) - r * angle.low));
}

}  // namespace

double sin(double x) {
  if (!std::isfinite(x)) return std::numeric_limits<double>::quiet_NaN();
  if (std::fabs(x) < 0x1p-27) return x;  // x^3 / 6 is below half an ulp; keeps -0
  const ReducedAngle angle = reduce_angle(std::fabs(x));
  const double value =
      (angle.quarter & 1U) != 0 ? cosine_near_zero(angle.rest) : sine_near_zero(angle.rest);
  return ((angle.quarter & 2U) != 0) != (x < 0) ? -value : value;
}

double cos(double x) {
  if (!std::isfinite(x)) return std::numeric_limits<double>::quiet_NaN();
  const ReducedAngle angle = reduce_angle(std::fabs(x));
  const double value =
      (angle.quarter & 1U) != 0 ? sine_near_zero(angle.rest) : cosine_near_zero(angle.rest);
  return angle.quarter == 1 || angle.quarter == 2 ? -value : value;
}

}  // namespace attnlab::portable

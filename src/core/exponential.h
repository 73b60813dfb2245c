// The exponential function, written once for a double and for vectors.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "core/polynomial.h"
#include "core/simd.h"

namespace attnlab {

// e^r = 1 + r + r^2 P(r) on |r| <= log(2) / 2; error below 2^-61.
inline constexpr std::array<double, 11> kExponentialSeries{0.5,
                                                           0.1666666666666667,
                                                           0.04166666666666667,
                                                           0.008333333333326084,
                                                           0.0013888888888883711,
                                                           0.0001984126987500228,
                                                           2.480158732567746e-05,
                                                           2.755725517000089e-06,
                                                           2.755727347871858e-07,
                                                           2.5105312729622103e-08,
                                                           2.09147553258932e-09};

inline constexpr double kLog2E = 0x1.71547652b82fep+0;
inline constexpr double kLog2High = 0x1.62e42feep-1;  // 32 bits: exact times any exponent
inline constexpr double kLog2Low = 0x1.a39ef35793c76p-33;

inline constexpr auto kOneBits = std::bit_cast<std::uint64_t>(1.0);

// x = n log(2) + r, |r| <= log(2) / 2, for |x| < 2^20.
template <class Number>
struct ReducedExponent {
  Number n;
  Number r;    // rounded
  Number low;  // what rounding took from r
};

template <class Number>
inline ReducedExponent<Number> reduce_exponent(Number x) {
  constexpr double kRound = 0x1.8p52;  // adding it rounds to a whole number
  const Number n = (x * kLog2E + kRound) - kRound;
  const Number high = x - n * kLog2High;
  const Number low = n * kLog2Low;
  const Number r = high - low;
  return {n, r, (high - r) - low};
}

// e^(r + low) - 1 - r, for |r| <= log(2) / 2 and a low below an ulp of 1000.
inline double exponential_tail(double r, double low) {
  const double tail = r * r * polynomial(r, kExponentialSeries);
  return tail + low * (1 + (r + tail));
}

// 2^n for a whole n in [-1022, 1023].
template <class Number, class Bits>
inline Number power_of_two(Number n) {
  constexpr double kRound = 0x1.8p52;  // its sum with n holds n in the low bits
  return std::bit_cast<Number>((std::bit_cast<Bits>(n + kRound) << 52) + kOneBits);
}

// y 2^n for a whole n in [-2044, 2046], rounded once: overflows to Infinity and underflows
// gradually.
template <class Number, class Bits>
inline Number scale_by_power_of_two(Number y, Number n) {
  constexpr double kRound = 0x1.8p52;
  const Number half = (n * 0.5 + kRound) - kRound;
  return y * power_of_two<Number, Bits>(half) * power_of_two<Number, Bits>(n - half);
}

// e^x for x in [-746, 710] or NaN.
template <class Number, class Bits>
inline Number exp_bounded(Number x) {
  const ReducedExponent<Number> reduced = reduce_exponent(x);
  const Number r = reduced.r;
  const Number y = (r + r * r * polynomial(r, kExponentialSeries)) + 1.0;
  return scale_by_power_of_two<Number, Bits>(y, reduced.n);
}

}  // namespace attnlab

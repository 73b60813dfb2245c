// Exponentials, logarithms and logistic functions of vectors.
//
// exp of doubles equals portable::exp to the bit, lane by lane. The *_fast form takes fewer steps
// and gives up the last bit; of floats it also differs between builds, as the relaxed one fuses its
// multiply-adds. Errors are held against long double in tests/core/core/simd_math.cpp.
#pragma once

#include <array>
#include <cstdint>

#include "core/exponential.h"
#include "core/logarithm.h"
#include "core/simd.h"

namespace attnlab::simd {

// e^x; 1 ulp. Overflows to Infinity, underflows gradually to 0, keeps NaN.
inline F64x2 exp(F64x2 x) {
  return exp_bounded<F64x2, U64x2>(min(max(x, splat(-746.0)), splat(710.0)));
}

namespace simd_detail {

// e^r = 1 + r + r^2 P(r) on |r| <= log(2) / 2; error below 2^-32.
inline constexpr std::array<float, 6> kSeries{0.5F,          0.16666667F,   0.041666465F,
                                              0.0083333105F, 0.0013933731F, 0.00019891081F};
inline constexpr float kRoundF = 0x1.8p23F;  // adding it rounds to a whole number
inline constexpr auto kOneBitsF = std::bit_cast<std::uint32_t>(1.0F);
inline constexpr float kLog2HighF = 0x1.62e4p-1F;  // 15 bits: exact times any exponent
inline constexpr float kLog2LowF = 0x1.7f7d1cp-20F;

// 2^n for a whole n in [-126, 127].
inline F32x4 power_of_two(F32x4 n) {
  return bits<F32x4>((bits<U32x4>(n + kRoundF) << 23) + kOneBitsF);
}

// sum_i terms_i x^i.
template <class Vector, std::size_t size>
inline Vector sum_of_powers(const std::array<Vector, size>& terms, Vector x) {
  if constexpr (size == 1) {
    return terms[0];
  } else {
    std::array<Vector, (size + 1) / 2> pairs;
    for (std::size_t i = 0; i < size / 2; ++i)
      pairs[i] = multiply_add(terms[2 * i + 1], x, terms[2 * i]);
    if constexpr (size % 2 == 1) pairs.back() = terms.back();
    return sum_of_powers(pairs, x * x);
  }
}

// A polynomial by Estrin's scheme, halved again and again: a chain of half the steps of Horner's
// rule (core/polynomial.h), which a processor waits for, at the price of some rounding.
template <class Vector, class Scalar, std::size_t size>
inline Vector short_polynomial(Vector x, const std::array<Scalar, size>& coefficients) {
  std::array<Vector, size> terms;
  for (std::size_t i = 0; i < size; ++i)
    terms[i] = splat(coefficients[i]);
  return sum_of_powers(terms, x);
}

}  // namespace simd_detail

// e^x; 1.1 ulp. Overflows to Infinity, underflows gradually to 0, keeps NaN.
inline F32x4 exp(F32x4 x) {
  using namespace simd_detail;
  x = min(max(x, splat(-104.0F)), splat(89.0F));
  const F32x4 n = (x * static_cast<float>(kLog2E) + kRoundF) - kRoundF;
  const F32x4 r = (x - n * kLog2HighF) - n * kLog2LowF;
  const F32x4 y = (r + r * r * polynomial(r, kSeries)) + 1.0F;
  const F32x4 half = (n * 0.5F + kRoundF) - kRoundF;
  return y * power_of_two(half) * power_of_two(n - half);
}

// e^x for x <= 0, and for NaN anything. 1.1 ulp down to -708.39 (double) and -87.33 (float), where
// the normal range ends; then subnormal, to one step, and 0 from -708.75 and -87.7 on: there n is
// the exponent whose power of two has no bit set, so that the product is 0 without a comparison.
inline F64x2 exp_nonpositive_fast(F64x2 x) {
  using namespace simd_detail;
  constexpr double kRound = 0x1.8p52;
  const F64x2 bounded = max(x, splat(-1023 / kLog2E));
  const F64x2 shifted = multiply_add(bounded, splat(kLog2E), splat(kRound));  // n in its low bits
  const F64x2 n = shifted - kRound;
  const F64x2 high = multiply_add(n, splat(-kLog2High), bounded);
  const F64x2 r = multiply_add(n, splat(-kLog2Low), high);
  const F64x2 y = multiply_add(r * r, short_polynomial(r, kExponentialSeries), r) + 1.0;
  return y * bits<F64x2>((bits<U64x2>(shifted) << 52) + kOneBits);
}

inline F32x4 exp_nonpositive_fast(F32x4 x) {
  using namespace simd_detail;
  constexpr auto kLog2EF = static_cast<float>(kLog2E);
  const F32x4 bounded = max(x, splat(-127 / kLog2EF));
  const F32x4 shifted = multiply_add(bounded, splat(kLog2EF), splat(kRoundF));
  const F32x4 n = shifted - kRoundF;
  const F32x4 high = multiply_add(n, splat(-kLog2HighF), bounded);
  const F32x4 r = multiply_add(n, splat(-kLog2LowF), high);
  const F32x4 y = multiply_add(r * r, short_polynomial(r, kSeries), r) + 1.0F;
  return y * bits<F32x4>((bits<U32x4>(shifted) << 23) + kOneBitsF);
}

// log(1 + x) for x in [0, 1]; 1 ulp, the bits of portable::log1p where x >= 2^-54.
inline F64x2 log1p_of_unit(F64x2 x) {
  const F64x2 sum = x + 1.0;
  const F64x2 lost = x - (sum - 1.0);
  const SplitNumber<F64x2> split = split_number<F64x2, U64x2>(sum);
  return log_split(split, split.k * kLog2Low + lost / sum);
}

}  // namespace attnlab::simd

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
inline constexpr float kRoundF = 0x1.8p23F;        // adding it rounds to a whole number
inline constexpr float kLog2HighF = 0x1.62e4p-1F;  // 15 bits: exact times any exponent
inline constexpr float kLog2LowF = 0x1.7f7d1cp-20F;

// 2^n for a whole n in [-126, 127].
inline F32x4 power_of_two(F32x4 n) {
  return bits<F32x4>((bits<U32x4>(n + kRoundF) << 23) + std::uint32_t{0x3f800000});
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

// e^x for x <= 0, and for NaN anything; 1.1 ulp. 0 below -708 (double) and -87 (float), where the
// result would leave the normal range.
inline F64x2 exp_nonpositive_fast(F64x2 x) {
  constexpr double kRound = 0x1.8p52;
  const F64x2 bounded = max(x, splat(-708.0));
  const F64x2 n = multiply_add(bounded, splat(kLog2E), splat(kRound)) - kRound;
  const F64x2 high = multiply_add(n, splat(-kLog2High), bounded);
  const F64x2 r = multiply_add(n, splat(-kLog2Low), high);
  F64x2 series = splat(kExponentialSeries.back());
  for (std::size_t i = kExponentialSeries.size() - 1; i-- > 0;)
    series = multiply_add(series, r, splat(kExponentialSeries[i]));
  const F64x2 y = multiply_add(r * r, series, r) + 1.0;
  const F64x2 value = y * attnlab::power_of_two<F64x2, U64x2>(n);
  return bits<F64x2>(bits<I64x2>(value) & (I64x2)(x >= bounded));
}

inline F32x4 exp_nonpositive_fast(F32x4 x) {
  using namespace simd_detail;
  const F32x4 bounded = max(x, splat(-87.0F));
  const F32x4 n =
      multiply_add(bounded, splat(static_cast<float>(kLog2E)), splat(kRoundF)) - kRoundF;
  const F32x4 high = multiply_add(n, splat(-kLog2HighF), bounded);
  const F32x4 r = multiply_add(n, splat(-kLog2LowF), high);
  F32x4 series = splat(kSeries.back());
  for (std::size_t i = kSeries.size() - 1; i-- > 0;)
    series = multiply_add(series, r, splat(kSeries[i]));
  const F32x4 y = multiply_add(r * r, series, r) + 1.0F;
  const F32x4 value = y * power_of_two(n);
  return bits<F32x4>(bits<I32x4>(value) & (I32x4)(x >= bounded));
}

// log(1 + x) for x in [0, 1]; 1 ulp, the bits of portable::log1p where x >= 2^-54.
inline F64x2 log1p_of_unit(F64x2 x) {
  const F64x2 sum = x + 1.0;
  const F64x2 lost = x - (sum - 1.0);
  const SplitNumber<F64x2> split = split_number<F64x2, U64x2>(sum);
  return log_split(split, split.k * kLog2Low + lost / sum);
}

}  // namespace attnlab::simd

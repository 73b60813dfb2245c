// Box and Muller's transform ("A note on the generation of random normal deviates", 1958), for
// two pairs at a time and with the same bits everywhere.
#pragma once

#include <array>

#include "core/logarithm.h"
#include "core/polynomial.h"
#include "core/simd.h"

namespace attnlab {

// Lane l holds one pair.
struct GaussianPairs {
  simd::F64x2 first;
  simd::F64x2 second;
};

// r cos(t), r sin(t) with r = sqrt(-2 log u), each within 4 ulp:
//   u: the upper 52 bits of the word `radius`, plus a half, times 2^-52: never 0, never 1;
//   t: the word `angle` as a turn of 2^64 parts, moved by an eighth turn: its upper two bits name
//      the quarter, the next 52 the place within it.
// |result| <= sqrt(106 log 2) = 8.58.
inline GaussianPairs gaussian_pairs(simd::U64x2 radius, simd::U64x2 angle) {
  using simd::bits, simd::F64x2, simd::I64x2, simd::U64x2;
  // sin(pi/2 f) / f = pi/2 + f^2 S(f^2) and cos(pi/2 f) = 1 + f^2 C(f^2) on |f| <= 1/2; errors
  // below 2^-55 of the value.
  constexpr double kHalfPi = 1.5707963267948966;
  constexpr std::array<double, 6> kSine{-0.6459640975062462,     0.07969262624614423,
                                        -0.004681754134254207,   0.00016044116661409423,
                                        -3.5987029509735105e-06, 5.642225369163528e-08};
  constexpr std::array<double, 7> kCosine{
      -1.2337005501361697,     0.2536695079010478,    -0.020863480763340773, 0.0009192602745468447,
      -2.5202039028029178e-05, 4.710678405505227e-07, -6.329396344967424e-09};
  constexpr std::uint64_t kOne = 0x3ff0000000000000;
  constexpr std::uint64_t kSign = 0x8000000000000000;

  const F64x2 u = (bits<F64x2>((radius >> 12) | kOne) - 1.0) + 0x1p-53;
  const F64x2 r = simd::sqrt(log_normal<F64x2, U64x2>(u) * -2.0);

  const F64x2 f = bits<F64x2>(((angle << 2) >> 12) | kOne) - 1.5;  // [-1/2, 1/2)
  const F64x2 square = f * f;
  const F64x2 sine = (f * kHalfPi + f * square * polynomial(square, kSine)) * r;
  const F64x2 cosine = (square * polynomial(square, kCosine) + 1.0) * r;

  // A quarter turn more: (c, s) -> (-s, c).
  const I64x2 odd = bits<I64x2>(U64x2{} - ((angle >> 62) & std::uint64_t{1}));
  const F64x2 x = simd::select(odd, sine, cosine);
  const F64x2 y = simd::select(odd, cosine, sine);
  return {bits<F64x2>(bits<U64x2>(x) ^ ((angle ^ (angle << 1)) & kSign)),
          bits<F64x2>(bits<U64x2>(y) ^ (angle & kSign))};
}

}  // namespace attnlab

// The core of the natural logarithm, written once for a double and for two at a time.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "core/exact.h"
#include "core/polynomial.h"
#include "core/simd.h"

namespace attnlab {

// log(x 2^shift) for a normal x > 0 and a small whole shift; below 1 ulp. With x = 2^k (1 + f),
// 1 + f in [sqrt(1/2), sqrt(2)), and s = f / (2 + f): log(1 + f) = 2 atanh(s), an odd series.
template <class Number, class Bits>
inline Number log_normal(Number x, double shift) {
  ATTNLAB_EXACT
  // atanh(s) = s + s^3 / 2 * P(s^2); error of 2 s + s^3 P below 2^-60 of the value.
  constexpr std::array<double, 8> kSeries{
      0.6666666666666666,  0.40000000000000885, 0.28571428570799784, 0.22222222392581045,
      0.18181795547521137, 0.15386244737621665, 0.13268638369266825, 0.13088034850927555};
  constexpr double kLog2High = 0x1.62e42feep-1;  // 32 bits: exact times any exponent
  constexpr double kLog2Low = 0x1.a39ef35793c76p-33;
  constexpr std::uint64_t kOne = 0x3ff0000000000000;
  constexpr std::uint64_t kRootHalf = 0x3fe6a09e00000000;
  constexpr std::uint64_t kMantissa = 0x000fffffffffffff;
  constexpr std::uint64_t kTwo52 = 0x4330000000000000;  // 2^52: its low bits are a whole number

  const Bits moved = std::bit_cast<Bits>(x) + (kOne - kRootHalf);
  // moved >> 52 is k + 1023, a small whole number, made a double by the bits of 2^52 + it.
  const Number k = std::bit_cast<Number>((moved >> 52) | kTwo52) - (0x1p52 + 1023.0) + shift;
  const Number f = std::bit_cast<Number>((moved & kMantissa) + kRootHalf) - 1.0;
  const Number s = f / (f + 2.0);
  const Number square = s * s;
  const Number half = f * f * 0.5;
  const Number rest = square * polynomial(square, kSeries);
  return k * kLog2High - ((half - (s * (half + rest) + k * kLog2Low)) - f);
}

}  // namespace attnlab

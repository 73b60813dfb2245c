// The core of the natural logarithm, written once for a double and for two at a time.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "core/exponential.h"
#include "core/polynomial.h"
#include "core/simd.h"

namespace attnlab {

// 2 atanh(s) = 2 s + s^3 P(s^2) for |s| <= 0.1717; error below 2^-60 of the value.
inline constexpr std::array<double, 8> kAtanhSeries{
    0.6666666666666666,  0.40000000000000885, 0.28571428570799784, 0.22222222392581045,
    0.18181795547521137, 0.15386244737621665, 0.13268638369266825, 0.13088034850927555};

// x = 2^k (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), for a normal x > 0.
template <class Number>
struct SplitNumber {
  Number k;
  Number f;
};

template <class Number, class Bits>
inline SplitNumber<Number> split_number(Number x) {
  constexpr std::uint64_t kOne = 0x3ff0000000000000;
  constexpr std::uint64_t kRootHalf = 0x3fe6a09e00000000;
  constexpr std::uint64_t kMantissa = 0x000fffffffffffff;
  constexpr std::uint64_t kTwo52 = 0x4330000000000000;  // 2^52: its low bits are a whole number
  const Bits moved = std::bit_cast<Bits>(x) + (kOne - kRootHalf);
  // moved >> 52 is k + 1023, a small whole number, made a double by the bits of 2^52 + it.
  return {std::bit_cast<Number>((moved >> 52) | kTwo52) - (0x1p52 + 1023.0),
          std::bit_cast<Number>((moved & kMantissa) + kRootHalf) - 1.0};
}

// k log(2) + log(1 + f) + low, below 1 ulp; low is a small correction. With s = f / (2 + f),
// log(1 + f) = 2 atanh(s) = f - f^2 / 2 + s (f^2 / 2 + s^2 P(s^2)).
template <class Number>
inline Number log_split(SplitNumber<Number> split, Number low) {
  const Number f = split.f;
  const Number s = f / (f + 2.0);
  const Number square = s * s;
  const Number half = f * f * 0.5;
  const Number rest = square * polynomial(square, kAtanhSeries);
  return split.k * kLog2High - ((half - (s * (half + rest) + low)) - f);
}

// log(x) for a normal x > 0.
template <class Number, class Bits>
inline Number log_normal(Number x) {
  const SplitNumber<Number> split = split_number<Number, Bits>(x);
  return log_split(split, split.k * kLog2Low);
}

}  // namespace attnlab

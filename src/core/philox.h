// Philox 4x32-10 (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3",
// SC 2011), four blocks at a time.
#pragma once

#include <array>
#include <cstdint>

#include "core/simd.h"

namespace attnlab {

constexpr std::uint32_t kPhiloxMultiplier0 = 0xd2511f53;
constexpr std::uint32_t kPhiloxMultiplier1 = 0xcd9e8d57;
constexpr std::uint32_t kPhiloxWeyl0 = 0x9e3779b9;  // golden ratio
constexpr std::uint32_t kPhiloxWeyl1 = 0xbb67ae85;  // sqrt(3) - 1
constexpr int kPhiloxRounds = 10;

// Word w of block lane is word[w][lane].
struct PhiloxBlocks {
  std::array<simd::U32x4, 4> word;
};

namespace philox_detail {

struct Product {
  simd::U32x4 high;
  simd::U32x4 low;
};

inline Product multiply(simd::U32x4 a, std::uint32_t multiplier) {
  using simd::U32x4, simd::U64x2;
#ifdef __wasm_simd128__
  const v128_t factor = wasm_u32x4_splat(multiplier);
  const U32x4 first = (U32x4)wasm_u64x2_extmul_low_u32x4((v128_t)a, factor);
  const U32x4 second = (U32x4)wasm_u64x2_extmul_high_u32x4((v128_t)a, factor);
#else
  const std::uint64_t factor = multiplier;
  const U32x4 first = simd::bits<U32x4>(U64x2{a[0] * factor, a[1] * factor});
  const U32x4 second = simd::bits<U32x4>(U64x2{a[2] * factor, a[3] * factor});
#endif
  return {__builtin_shufflevector(first, second, 1, 3, 5, 7),
          __builtin_shufflevector(first, second, 0, 2, 4, 6)};
}

}  // namespace philox_detail

// The blocks of the counters (position, stream) ... (position + 3, stream).
inline PhiloxBlocks philox4x32_four(std::uint64_t position, std::uint64_t stream,
                                    std::uint64_t seed) {
  using simd::splat, simd::U32x4;
  U32x4 x0{}, x1{};
  for (unsigned lane = 0; lane < 4; ++lane) {
    x0[lane] = static_cast<std::uint32_t>(position + lane);
    x1[lane] = static_cast<std::uint32_t>((position + lane) >> 32);
  }
  U32x4 x2 = splat(static_cast<std::uint32_t>(stream));
  U32x4 x3 = splat(static_cast<std::uint32_t>(stream >> 32));
  auto key0 = static_cast<std::uint32_t>(seed);
  auto key1 = static_cast<std::uint32_t>(seed >> 32);
  for (int round = 0; round < kPhiloxRounds; ++round) {
    const auto product0 = philox_detail::multiply(x0, kPhiloxMultiplier0);
    const auto product1 = philox_detail::multiply(x2, kPhiloxMultiplier1);
    x0 = product1.high ^ x1 ^ splat(key0);
    x2 = product0.high ^ x3 ^ splat(key1);
    x1 = product1.low;
    x3 = product0.low;
    key0 += kPhiloxWeyl0;
    key1 += kPhiloxWeyl1;
  }
  return {{x0, x1, x2, x3}};
}

}  // namespace attnlab

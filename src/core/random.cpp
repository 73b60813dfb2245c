#include "core/random.h"

#include <algorithm>

#include "core/error.h"
#include "core/gaussian_pair.h"
#include "core/philox.h"

namespace attnlab {
namespace {

using simd::F64x2, simd::U32x4, simd::U64x2;

struct Product {
  std::uint64_t high;
  std::uint64_t low;
};

// The full product of two 64-bit numbers, by halves.
Product multiply_wide(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t kLow = 0xffffffff;
  const std::uint64_t low = (a & kLow) * (b & kLow);
  const std::uint64_t middle = (a >> 32) * (b & kLow) + (low >> 32);
  const std::uint64_t cross = (a & kLow) * (b >> 32) + (middle & kLow);
  return {(a >> 32) * (b >> 32) + (middle >> 32) + (cross >> 32), (cross << 32) | (low & kLow)};
}

// The finaliser of SplitMix64 (Steele, Lea, Flood 2014): a bijection that spreads every bit.
std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

void store_pairs(double* out, const GaussianPairs& pairs) {
  simd::store(out, __builtin_shufflevector(pairs.first, pairs.second, 0, 2));
  simd::store(out + 2, __builtin_shufflevector(pairs.first, pairs.second, 1, 3));
}

// The 64-bit words of four blocks: lane l of first_words[h] and second_words[h] is block 2 h + l.
struct Words {
  U64x2 first[2];
  U64x2 second[2];
};

Words words_of(const PhiloxBlocks& blocks) {
  const auto& word = blocks.word;
  return {{simd::bits<U64x2>(__builtin_shufflevector(word[0], word[1], 0, 4, 1, 5)),
           simd::bits<U64x2>(__builtin_shufflevector(word[0], word[1], 2, 6, 3, 7))},
          {simd::bits<U64x2>(__builtin_shufflevector(word[2], word[3], 0, 4, 1, 5)),
           simd::bits<U64x2>(__builtin_shufflevector(word[2], word[3], 2, 6, 3, 7))}};
}

constexpr std::size_t kGroup = 8;    // normals of four blocks
constexpr std::size_t kSlice = 512;  // normals a call: many short calls, so that an engine that
                                     // compiles in tiers soon runs its best code

// count, a multiple of kGroup, normals from whole blocks.
__attribute__((noinline)) void fill_aligned(double* out, std::size_t count, std::uint64_t position,
                                            std::uint64_t stream, std::uint64_t seed) {
  for (std::size_t i = 0; i < count; i += kGroup, position += 4) {
    const Words words = words_of(philox4x32_four(position, stream, seed));
    store_pairs(out + i, gaussian_pairs(words.first[0], words.second[0]));
    store_pairs(out + i + 4, gaussian_pairs(words.first[1], words.second[1]));
  }
}

// The same where one word was left over: pairs then straddle the blocks. Returns the new left-over.
__attribute__((noinline)) std::uint64_t fill_straddling(double* out, std::size_t count,
                                                        std::uint64_t left_over,
                                                        std::uint64_t position,
                                                        std::uint64_t stream, std::uint64_t seed) {
  for (std::size_t i = 0; i < count; i += kGroup, position += 4) {
    const Words words = words_of(philox4x32_four(position, stream, seed));
    for (std::size_t half = 0; half < 2; ++half) {
      const U64x2 radius{left_over, words.second[half][0]};
      store_pairs(out + i + 4 * half, gaussian_pairs(radius, words.first[half]));
      left_over = words.second[half][1];
    }
  }
  return left_over;
}

}  // namespace

std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < kPhiloxRounds; ++round) {
    const std::uint64_t product0 = std::uint64_t{kPhiloxMultiplier0} * counter[0];
    const std::uint64_t product1 = std::uint64_t{kPhiloxMultiplier1} * counter[2];
    counter = {static_cast<std::uint32_t>(product1 >> 32) ^ counter[1] ^ key[0],
               static_cast<std::uint32_t>(product1),
               static_cast<std::uint32_t>(product0 >> 32) ^ counter[3] ^ key[1],
               static_cast<std::uint32_t>(product0)};
    key[0] += kPhiloxWeyl0;
    key[1] += kPhiloxWeyl1;
  }
  return counter;
}

void RandomStream::refill() {
  block_ = philox4x32(
      {static_cast<std::uint32_t>(position_), static_cast<std::uint32_t>(position_ >> 32),
       static_cast<std::uint32_t>(stream_), static_cast<std::uint32_t>(stream_ >> 32)},
      {static_cast<std::uint32_t>(seed_), static_cast<std::uint32_t>(seed_ >> 32)});
  ++position_;
  left_ = 2;
}

std::uint64_t RandomStream::next_u64() {
  if (left_ == 0) refill();
  const std::size_t at = 4 - 2 * std::size_t{left_};
  --left_;
  return block_[at] | (std::uint64_t{block_[at + 1]} << 32);
}

double RandomStream::uniform() {
  return static_cast<double>(2 * (next_u64() >> 12) + 1) * 0x1p-53;
}

// Lemire, "Fast random integer generation in an interval" (2019).
std::uint64_t RandomStream::below(std::uint64_t bound) {
  if (bound == 0) fail(ErrorCode::kOutOfRange, "bound", "is 0; at least 1 is allowed");
  Product product = multiply_wide(next_u64(), bound);
  if (product.low < bound) {
    const std::uint64_t unfair = (0 - bound) % bound;
    while (product.low < unfair)
      product = multiply_wide(next_u64(), bound);
  }
  return product.high;
}

double RandomStream::gaussian() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  const std::uint64_t radius = next_u64();
  const std::uint64_t angle = next_u64();
  const GaussianPairs pairs = gaussian_pairs(simd::splat(radius), simd::splat(angle));
  spare_ = pairs.second[0];
  has_spare_ = true;
  return pairs.first[0];
}

void RandomStream::fill_gaussian(std::span<double> out) {
  double* next = out.data();
  std::size_t rest = out.size();
  if (has_spare_ && rest > 0) {
    *next++ = gaussian();
    --rest;
  }
  while (rest >= kGroup) {
    const std::size_t count = std::min(rest / kGroup * kGroup, kSlice);
    if (left_ == 1) {
      const std::uint64_t left_over = block_[2] | (std::uint64_t{block_[3]} << 32);
      const std::uint64_t kept = fill_straddling(next, count, left_over, position_, stream_, seed_);
      block_[2] = static_cast<std::uint32_t>(kept);
      block_[3] = static_cast<std::uint32_t>(kept >> 32);
    } else {
      fill_aligned(next, count, position_, stream_, seed_);
    }
    position_ += count / 2;
    next += count;
    rest -= count;
  }
  for (; rest > 0; --rest)
    *next++ = gaussian();
}

Matrix RandomStream::gaussian_matrix(Index rows, Index columns) {
  Matrix matrix(rows, columns);
  fill_gaussian({matrix.data(), static_cast<std::size_t>(matrix.size())});
  return matrix;
}

Vector RandomStream::gaussian_vector(Index size) {
  Vector vector(size);
  fill_gaussian({vector.data(), static_cast<std::size_t>(vector.size())});
  return vector;
}

std::uint64_t stream_of(std::initializer_list<std::uint64_t> indices) {
  std::uint64_t hash = mix(indices.size());
  for (const std::uint64_t index : indices)
    hash = mix(hash ^ mix(index + 0x9e3779b97f4a7c15));
  return hash;
}

}  // namespace attnlab

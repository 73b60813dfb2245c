// Random numbers that are the same bits on every platform.
//
// Philox 4x32-10 (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3",
// SC 2011): a counter-based generator. The key is the seed; the upper half of the counter is the
// stream, the lower half the position. So every (seed, stream) is its own sequence, any position
// can be had at once, and how work is cut into pieces changes nothing.
//
// Only + - * / sqrt and whole-number operations are used, in a fixed order.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>

#include "core/types.h"

namespace attnlab {

// One block: 10 rounds of Philox 4x32 on a 128-bit counter with a 64-bit key.
std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key);

class RandomStream {
 public:
  RandomStream(std::uint64_t seed, std::uint64_t stream) : seed_(seed), stream_(stream) {}

  std::uint64_t next_u64();
  // Uniform on (0, 1): odd multiples of 2^-53, so neither end is ever returned. One word.
  double uniform();
  // Uniform whole number in [0, bound), without bias. bound > 0. One word, rarely more.
  std::uint64_t below(std::uint64_t bound);
  // Standard normal, by Box and Muller's transform of two words; the second of a pair is kept for
  // the next call. Within 4 ulp of the transform's exact value; |result| < 8.58.
  double gaussian();
  // The same sequence as that many calls of gaussian(), faster.
  void fill_gaussian(std::span<double> out);
  // rows x columns standard normals, in row-major order.
  Matrix gaussian_matrix(Index rows, Index columns);
  Vector gaussian_vector(Index size);

 private:
  void refill();

  std::uint64_t seed_;
  std::uint64_t stream_;
  std::uint64_t position_ = 0;  // the next block
  std::array<std::uint32_t, 4> block_{};
  unsigned left_ = 0;  // 64-bit words of block_ not used yet
  double spare_ = 0;   // second normal of a pair
  bool has_spare_ = false;
};

// A stream number from a purpose and indices, so that experiments do not collide by accident:
// stream_of({kData, replicate, point}). Order and number of the indices matter; two different
// lists agree with probability 2^-64.
std::uint64_t stream_of(std::initializer_list<std::uint64_t> indices);

}  // namespace attnlab

// An exact statement about whole-number data.
#pragma once

#include <cstdint>
#include <vector>

#include "core/types.h"
#include "mhla/features.h"

namespace attnlab::mhla {

// Rank of the feature matrix modulo the prime 2^31 - 1, row by row. It is never above the rank
// over the rationals, so "rank = psi" proves that every coefficient is determined, with no
// rounding in the argument. Only for samples whose grams and queries are whole numbers.
class ModularRank {
 public:
  explicit ModularRank(Index columns) : columns_(columns) {}
  // Adds a row of residues in [0, 2^31 - 1). Cost rank * columns. True when the rank has grown.
  bool add(std::vector<std::uint64_t> row);
  Index rank() const { return static_cast<Index>(rows_.size()); }

 private:
  Index columns_;
  std::vector<std::vector<std::uint64_t>> rows_;  // leading entry 1
  std::vector<Index> leading_;
};

// Whether every entry is a whole number that a double holds exactly.
bool whole_numbers(const Samples& samples);
// The features of sample i modulo 2^31 - 1.
std::vector<std::uint64_t> modular_features(const Samples& samples, Index i);

}  // namespace attnlab::mhla

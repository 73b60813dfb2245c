// Prompts of one embedding dimension and any lengths, one after another in one block of memory.
//
// A prompt is n x d, a row a token. Papers on linear attention write the transpose: their Z is
// d x n, a column a token, and z_n is our last row.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "core/types.h"

namespace attnlab::mhla {

struct Prompts {
  Matrix tokens;                 // (sum of lengths) x d
  std::vector<Index> starts{0};  // count + 1 rows at which prompts begin; the last one is the end

  Index count() const { return static_cast<Index>(starts.size()) - 1; }
  Index dimension() const { return tokens.cols(); }
  Index length(Index i) const { return start(i + 1) - start(i); }
  MatrixRef prompt(Index i) const { return tokens.middleRows(start(i), length(i)); }
  Index start(Index i) const { return starts[static_cast<std::size_t>(i)]; }
};

// Joins prompts of any lengths. Throws kMissing when there is none, kShape when one is empty or
// their dimensions differ, kNotFinite, and kOutOfRange for entries beyond kLargestEntry, whose
// products of six would leave the range of a double. `parameter` is the caller's name for them.
Prompts join_prompts(std::span<const Matrix> prompts, std::string_view parameter = "prompts");

// count * length rows as prompts of equal length.
Prompts equal_prompts(const MatrixRef& tokens, Index length,
                      std::string_view parameter = "prompts");

// What join_prompts checks, for prompts put together by hand.
void require_prompts(const Prompts& prompts, std::string_view parameter = "prompts");

constexpr double kLargestEntry = 1e45;

}  // namespace attnlab::mhla

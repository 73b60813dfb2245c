// What forward, weights and gradient share: keys laid out once, scores block by block.
#pragma once

#include <vector>

#include "attention/attention.h"
#include "attention/panel.h"
#include "attention/weigh.h"

namespace attnlab::attention {

// Scores exist only for a block of queries and keys at a time.
inline constexpr Index kBlockQueries = 64;
inline constexpr Index kBlockKeys = 256;

// Keys and token weights, laid out for blocks.
template <class Scalar>
struct KeySide {
  KeySide(const MatrixRefOf<Scalar>& keys, const VectorRefOf<Scalar>& token_weights,
          const Options& options);

  Panels<Scalar> tiles;  // of kTileRows keys
  Index count;           // n
  // c_j, where the kernel divides by their sum times a power of two that brings the largest near 1;
  // empty where all are one.
  std::vector<Scalar> counts;
  std::vector<Scalar> log_counts;  // log c_j; empty where all are one
};

// scale times rows first ... first + rows - 1 of a matrix, followed by zeros up to whole strips.
template <class Scalar>
MatrixOf<Scalar> scaled_rows(const MatrixRefOf<Scalar>& matrix, Index first, Index rows,
                             double scale);

// Consecutive queries, at most kBlockQueries, and how far they see.
template <class Scalar>
class QueryBlock {
 public:
  // Queries first ... first + rows - 1 of a matrix of `queries`.
  QueryBlock(const MatrixRefOf<Scalar>& queries, Index first, Index key_count,
             const Options& options);

  Index rows() const { return rows_; }
  Index padded_rows() const { return strips_.count * kPanelWidth<Scalar>; }
  Index strip_count() const { return strips_.count; }
  // scale * queries of a strip, as the right factor of products with keys.
  const Scalar* strip(Index q) const { return strips_.panel(q); }
  // How many of all keys row i of this block sees.
  Index seen(Index i) const;
  // How many keys the last row sees: later blocks of keys need not be looked at.
  Index reach() const { return seen(rows_ - 1); }

 private:
  Index first_;
  Index rows_;
  Index key_count_;
  Index hidden_from_first_;  // keys that the first query of all does not see
  bool causal_;
  Panels<Scalar> strips_;
};

// Keys first ... first + count - 1.
struct KeyBlock {
  Index first;
  Index count;
};

inline KeyBlock key_block(Index first, Index size, Index key_count) {
  return {first, std::min(size, key_count - first)};
}

// Scores of strip q on a block of keys, computed to `to`, those of a key `stride` after those of
// the one before, with room up to the next whole tile of keys.
template <class Scalar>
ScoreStrip<Scalar> fill_scores(const QueryBlock<Scalar>& queries, Index q,
                               const KeySide<Scalar>& side, const KeyBlock& block, Scalar* to,
                               Index stride);

// What stream_block finds out about a block of queries.
template <class Scalar>
struct BlockSums {
  std::vector<StripState<Scalar>> states;  // one a strip
  std::vector<Scalar> data;                // rows of queries, padded to whole strips
  std::vector<double> carried;             // of floats over long prompts: what earlier keys gave
  Index width = 0;                         // of a row: whole panels

  const Scalar* row(Index i) const { return data.data() + i * width; }
  double total_of(Index i) const;  // what row i is divided by
};

// Runs over all keys for one block of queries. Afterwards the states are final, and the rows of
// sums hold sum_j c_j f(s_ij) values_j e^-reference; values are in panels of columns.
template <class Scalar>
void stream_block(const QueryBlock<Scalar>& queries, const KeySide<Scalar>& side,
                  const Panels<Scalar>& values, const Options& options, BlockSums<Scalar>& sums);

// sums' rows of a strip += weights^T * factors, where the weights lie as scores do and the factors
// are panels of columns.
template <class Scalar>
void add_weighted(const ScoreStrip<Scalar>& weights, const Panels<Scalar>& factors, Index first,
                  Scalar* sums, Index width);

}  // namespace attnlab::attention

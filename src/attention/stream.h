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
  KeySide(const MatrixRefOf<Scalar>& keys, const VectorRefOf<Scalar>& token_weights);

  Panels<Scalar> keys;
  Index count;                     // n
  std::vector<Scalar> counts;      // c_j, then zeros; empty where all are one
  std::vector<Scalar> log_counts;  // log c_j, then -Infinity; empty where all are one
};

// Consecutive queries, at most kBlockQueries, and how far they see.
template <class Scalar>
class QueryBlock {
 public:
  // Queries first ... first + rows - 1 of a matrix of `queries`.
  QueryBlock(const MatrixRefOf<Scalar>& queries, Index first, Index key_count,
             const Options& options);

  Index first() const { return first_; }
  Index rows() const { return rows_; }
  Index padded_rows() const { return round_up(rows_, kTileRows); }
  // scale * queries, followed by rows of zeros, in tiles of kTileRows: (i, k) of a tile at
  // k kTileRows + i.
  const std::vector<Scalar>& scaled() const { return scaled_; }
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
  std::vector<Scalar> scaled_;
};

// A block of scores: row i at data + i kBlockKeys.
template <class Scalar>
struct ScoreBlock {
  ScoreBlock() : data(static_cast<std::size_t>(kBlockQueries * kBlockKeys)) {}

  Scalar* row(Index i) { return data.data() + i * kBlockKeys; }

  std::vector<Scalar> data;
};

// Keys first ... first + count - 1; width is count rounded up to whole panels.
struct KeyBlock {
  Index first;
  Index count;
  Index width;
};

template <class Scalar>
KeyBlock key_block(Index first, Index key_count) {
  const Index count = std::min(kBlockKeys, key_count - first);
  return {first, count, round_up(count, kPanelWidth<Scalar>)};
}

// to(r, j) = scale <query_(row + r), key_j> for four rows, kBlockKeys apart.
template <class Scalar>
void fill_scores(const QueryBlock<Scalar>& queries, Index row, const Panels<Scalar>& keys,
                 const KeyBlock& block, Scalar* to) {
  multiply_panels<Scalar, LeftFactor::kTransposed, Into::kFresh>(
      queries.scaled().data() + row * keys.depth, kTileRows,
      keys.panel(block.first / kPanelWidth<Scalar>), keys.stride, block.width / kPanelWidth<Scalar>,
      keys.depth, to, kBlockKeys);
}

// The scores of query i of a block as accumulate_row and weigh_row take them.
template <class Scalar>
ScoreRow<Scalar> score_row(const QueryBlock<Scalar>& queries, Index i, const KeySide<Scalar>& side,
                           const KeyBlock& block, Scalar* scores);

// Runs over all keys for one block of queries. Afterwards states[i] is final and sums, rows of
// values.count panels, hold sum_j c_j f(s_ij) values_j e^-reference.
template <class Scalar>
void stream_block(const QueryBlock<Scalar>& queries, const KeySide<Scalar>& side,
                  const Panels<Scalar>& values, const Options& options, ScoreBlock<Scalar>& scores,
                  std::vector<RowState<Scalar>>& states, std::vector<Scalar>& sums);

}  // namespace attnlab::attention

#include "attention/stream.h"

#include <algorithm>
#include <limits>

#include "core/portable.h"

namespace attnlab::attention {
namespace {

template <class Scalar>
__attribute__((noinline)) void scale_row(Scalar* row, Index width, Scalar factor) {
  using Vector = simd::Pack<Scalar>;
  constexpr Index kLanes = simd::PackOf<Scalar>::kLanes;
  for (Index j = 0; j < width; j += kLanes)
    simd::store(row + j, simd::load<Vector>(row + j) * simd::splat(factor));
}

}  // namespace

template <class Scalar>
KeySide<Scalar>::KeySide(const MatrixRefOf<Scalar>& keys_in,
                         const VectorRefOf<Scalar>& token_weights)
    : keys(row_panels<Scalar>(keys_in)), count(keys_in.rows()) {
  if (token_weights.size() == 0) return;
  const auto padded = static_cast<std::size_t>(round_up(count, kPanelWidth<Scalar>));
  counts.assign(padded, Scalar{0});
  log_counts.assign(padded, -std::numeric_limits<Scalar>::infinity());
  for (Index j = 0; j < count; ++j) {
    const auto at = static_cast<std::size_t>(j);
    counts[at] = token_weights(j);
    log_counts[at] = static_cast<Scalar>(portable::log(static_cast<double>(token_weights(j))));
  }
}

template <class Scalar>
QueryBlock<Scalar>::QueryBlock(const MatrixRefOf<Scalar>& queries, Index first, Index key_count,
                               const Options& options)
    : first_(first),
      rows_(std::min(kBlockQueries, queries.rows() - first)),
      key_count_(key_count),
      hidden_from_first_(queries.rows() - 1),
      causal_(options.causal),
      scaled_(static_cast<std::size_t>(round_up(rows_, kTileRows) * queries.cols()), Scalar{0}) {
  const auto scale = static_cast<Scalar>(options.scale);
  const Index depth = queries.cols();
  for (Index i = 0; i < rows_; ++i) {
    Scalar* to = scaled_.data() + i / kTileRows * kTileRows * depth + i % kTileRows;
    for (Index k = 0; k < depth; ++k)
      to[k * kTileRows] = scale * queries(first + i, k);
  }
}

template <class Scalar>
Index QueryBlock<Scalar>::seen(Index i) const {
  // Query i of m sees keys 0 ... i + (n - m).
  if (!causal_) return key_count_;
  return std::min(key_count_, key_count_ - hidden_from_first_ + first_ + i);
}

template <class Scalar>
ScoreRow<Scalar> score_row(const QueryBlock<Scalar>& queries, Index i, const KeySide<Scalar>& side,
                           const KeyBlock& block, Scalar* scores) {
  const bool weighted = !side.counts.empty();
  return {scores, block.width, std::clamp(queries.seen(i) - block.first, Index{0}, block.count),
          weighted ? side.counts.data() + block.first : nullptr,
          weighted ? side.log_counts.data() + block.first : nullptr};
}

template <class Scalar>
void stream_block(const QueryBlock<Scalar>& queries, const KeySide<Scalar>& side,
                  const Panels<Scalar>& values, const Options& options, ScoreBlock<Scalar>& scores,
                  std::vector<RowState<Scalar>>& states, std::vector<Scalar>& sums) {
  const Index width = values.count * kPanelWidth<Scalar>;
  states.assign(static_cast<std::size_t>(queries.padded_rows()), RowState<Scalar>{});
  sums.assign(static_cast<std::size_t>(queries.padded_rows() * width), Scalar{0});
  for (Index first = 0; first < queries.reach(); first += kBlockKeys) {
    const KeyBlock block = key_block<Scalar>(first, side.count);
    for (Index row = 0; row < queries.padded_rows(); row += kTileRows) {
      fill_scores(queries, row, side.keys, block, scores.row(0));
      for (Index i = row; i < row + kTileRows; ++i) {
        const Scalar factor =
            accumulate_row(score_row(queries, i, side, block, scores.row(i - row)), options,
                           states[static_cast<std::size_t>(i)]);
        if (factor != 1) scale_row(sums.data() + i * width, width, factor);
      }
      multiply_panels<Scalar, LeftFactor::kRows, Into::kSum>(
          scores.row(0), kBlockKeys, values.row(block.first), values.stride, values.count,
          block.count, sums.data() + row * width, width);
    }
  }
}

#define ATTNLAB_INSTANTIATE(Scalar)                                                              \
  template struct KeySide<Scalar>;                                                               \
  template class QueryBlock<Scalar>;                                                             \
  template ScoreRow<Scalar> score_row<Scalar>(const QueryBlock<Scalar>&, Index,                  \
                                              const KeySide<Scalar>&, const KeyBlock&, Scalar*); \
  template void stream_block<Scalar>(const QueryBlock<Scalar>&, const KeySide<Scalar>&,          \
                                     const Panels<Scalar>&, const Options&, ScoreBlock<Scalar>&, \
                                     std::vector<RowState<Scalar>>&, std::vector<Scalar>&);
ATTNLAB_INSTANTIATE(float)
ATTNLAB_INSTANTIATE(double)
#undef ATTNLAB_INSTANTIATE

}  // namespace attnlab::attention

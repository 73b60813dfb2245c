#include "attention/stream.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

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

// Floats are summed over so many keys before their sum goes over into a double: over more, the
// roundings of the growing sum would show.
constexpr Index kCarryKeys = 16 * kBlockKeys;

template <class Scalar>
bool carries(Index key_count) {
  return std::is_same_v<Scalar, float> && key_count > kCarryKeys;
}

template <class Scalar>
void carry(BlockSums<Scalar>& sums) {
  for (std::size_t i = 0; i < sums.carried.size(); ++i) {
    sums.carried[i] += static_cast<double>(sums.data[i]);
    sums.data[i] = 0;
  }
}

template <class Scalar>
void scale_sums(BlockSums<Scalar>& sums, Index row, Scalar factor) {
  scale_row(sums.data.data() + row * sums.width, sums.width, factor);
  if (!sums.carried.empty())
    scale_row<double>(sums.carried.data() + row * sums.width, sums.width,
                      static_cast<double>(factor));
}

}  // namespace

template <class Scalar>
KeySide<Scalar>::KeySide(const MatrixRefOf<Scalar>& keys, const VectorRefOf<Scalar>& token_weights,
                         const Options& options)
    : tiles(row_panels<Scalar>(keys, kTileRows)), count(keys.rows()) {
  if (token_weights.size() == 0) return;
  int exponent = 0;
  if (divides_by_sum(options.kernel) || options.kernel == Kernel::kLinearMean)
    exponent = std::ilogb(token_weights.maxCoeff());
  for (Index j = 0; j < token_weights.size(); ++j) {
    counts.push_back(std::scalbn(token_weights(j), -exponent));
    log_counts.push_back(static_cast<Scalar>(portable::log(static_cast<double>(token_weights(j)))));
  }
}

template <class Scalar>
MatrixOf<Scalar> scaled_rows(const MatrixRefOf<Scalar>& matrix, Index first, Index rows,
                             double scale) {
  MatrixOf<Scalar> result =
      MatrixOf<Scalar>::Zero(round_up(rows, kPanelWidth<Scalar>), matrix.cols());
  for (Index i = 0; i < rows; ++i)
    for (Index k = 0; k < matrix.cols(); ++k)
      result(i, k) = static_cast<Scalar>(scale * static_cast<double>(matrix(first + i, k)));
  return result;
}

template <class Scalar>
QueryBlock<Scalar>::QueryBlock(const MatrixRefOf<Scalar>& queries, Index first, Index key_count,
                               const Options& options)
    : first_(first),
      rows_(std::min(kBlockQueries, queries.rows() - first)),
      key_count_(key_count),
      hidden_from_first_(queries.rows() - 1),
      causal_(options.causal),
      strips_(row_panels<Scalar>(scaled_rows<Scalar>(queries, first, rows_, options.scale))) {}

template <class Scalar>
Index QueryBlock<Scalar>::seen(Index i) const {
  // Query i of m sees keys 0 ... i + (n - m).
  if (!causal_) return key_count_;
  return std::min(key_count_, key_count_ - hidden_from_first_ + first_ + i);
}

template <class Scalar>
ScoreStrip<Scalar> fill_scores(const QueryBlock<Scalar>& queries, Index q,
                               const KeySide<Scalar>& side, const KeyBlock& block, Scalar* to,
                               Index stride) {
  multiply_strip(side.tiles, block.first, block.count, queries.strip(q), to, stride);
  ScoreStrip<Scalar> strip{to, stride, block.count, {}, nullptr, nullptr};
  for (Index c = 0; c < kPanelWidth<Scalar>; ++c)
    strip.seen[static_cast<std::size_t>(c)] =
        std::clamp(queries.seen(q * kPanelWidth<Scalar> + c) - block.first, Index{0}, block.count);
  if (!side.counts.empty()) {
    strip.counts = side.counts.data() + block.first;
    strip.log_counts = side.log_counts.data() + block.first;
  }
  return strip;
}

template <class Scalar>
double BlockSums<Scalar>::total_of(Index i) const {
  const auto strip = static_cast<std::size_t>(i / kPanelWidth<Scalar>);
  return states[strip].total[static_cast<std::size_t>(i % kPanelWidth<Scalar>)];
}

template <class Scalar>
void add_weighted(const ScoreStrip<Scalar>& weights, const Panels<Scalar>& factors, Index first,
                  Scalar* sums, Index width) {
  for (Index c = 0; c < kPanelWidth<Scalar>; c += kTileRows)
    multiply_panels<Scalar, LeftFactor::kTransposed, Into::kSum>(
        weights.scores + c, weights.stride, factors, first, weights.count, sums + c * width, width);
}

template <class Scalar>
void stream_block(const QueryBlock<Scalar>& queries, const KeySide<Scalar>& side,
                  const Panels<Scalar>& values, const Options& options, BlockSums<Scalar>& sums) {
  constexpr Index kStrip = kPanelWidth<Scalar>;
  sums.width = values.count * values.width;
  sums.states.assign(static_cast<std::size_t>(queries.strip_count()), StripState<Scalar>());
  sums.data.assign(static_cast<std::size_t>(queries.padded_rows() * sums.width), Scalar{0});
  sums.carried.assign(carries<Scalar>(queries.reach()) ? sums.data.size() : 0, 0);
  std::vector<Scalar> scores(static_cast<std::size_t>(kBlockKeys * kStrip));
  for (Index first = 0; first < queries.reach(); first += kBlockKeys) {
    if (first % kCarryKeys == 0) carry(sums);
    const KeyBlock block = key_block(first, kBlockKeys, side.count);
    for (Index q = 0; q < queries.strip_count(); ++q) {
      const ScoreStrip<Scalar> strip = fill_scores(queries, q, side, block, scores.data(), kStrip);
      const StripOf<Scalar> factors =
          accumulate_strip(strip, options, sums.states[static_cast<std::size_t>(q)]);
      Scalar* rows = sums.data.data() + q * kStrip * sums.width;
      for (Index c = 0; c < kStrip; ++c) {
        const Scalar factor = factors[static_cast<std::size_t>(c)];
        if (factor != 1) scale_sums(sums, q * kStrip + c, factor);
      }
      add_weighted(strip, values, block.first, rows, sums.width);
    }
  }
  for (std::size_t i = 0; i < sums.carried.size(); ++i)
    sums.data[i] = static_cast<Scalar>(sums.carried[i] + static_cast<double>(sums.data[i]));
}

#define ATTNLAB_INSTANTIATE(Scalar)                                                                \
  template struct KeySide<Scalar>;                                                                 \
  template MatrixOf<Scalar> scaled_rows<Scalar>(const MatrixRefOf<Scalar>&, Index, Index, double); \
  template class QueryBlock<Scalar>;                                                               \
  template struct BlockSums<Scalar>;                                                               \
  template ScoreStrip<Scalar> fill_scores<Scalar>(                                                 \
      const QueryBlock<Scalar>&, Index, const KeySide<Scalar>&, const KeyBlock&, Scalar*, Index);  \
  template void stream_block<Scalar>(const QueryBlock<Scalar>&, const KeySide<Scalar>&,            \
                                     const Panels<Scalar>&, const Options&, BlockSums<Scalar>&);   \
  template void add_weighted<Scalar>(const ScoreStrip<Scalar>&, const Panels<Scalar>&, Index,      \
                                     Scalar*, Index);
ATTNLAB_INSTANTIATE(float)
ATTNLAB_INSTANTIATE(double)
#undef ATTNLAB_INSTANTIATE

}  // namespace attnlab::attention

#include "attention/attention.h"
#include "attention/check.h"
#include "attention/stream.h"
#include "core/require.h"

namespace attnlab::attention {
namespace {

// Rows of panels, padded to whole tiles, that products are summed into.
template <class Scalar>
struct PaddedRows {
  PaddedRows(Index rows, Index columns)
      : width(round_up(columns, kPanelWidth<Scalar>)),
        data(static_cast<std::size_t>(round_up(rows, kTileRows) * width), Scalar{0}) {}

  Scalar* row(Index i) { return data.data() + i * width; }

  MatrixOf<Scalar> cut(Index rows, Index columns) const {
    return Eigen::Map<const MatrixOf<Scalar>, 0, Eigen::OuterStride<>>(data.data(), rows, columns,
                                                                       Eigen::OuterStride<>(width));
  }

  Index width;
  std::vector<Scalar> data;
};

// A number for each pair of a block of queries and one of keys: those of a key lie `kStride` after
// those of the one before. The padding keeps keys from falling onto the same lines of the cache.
template <class Scalar>
struct PairBlock {
  static constexpr Index kKeys = 128;
  static constexpr Index kStride = kBlockQueries + 64 / static_cast<Index>(sizeof(Scalar));

  Scalar* strip(Index q) { return data.data() + q * kPanelWidth<Scalar>; }

  std::vector<Scalar> data = std::vector<Scalar>(static_cast<std::size_t>(kKeys * kStride));
};

// Rows of sums += weights * factors, for panels of the block's queries' rows.
template <class Scalar>
void add_queries(const PairBlock<Scalar>& weights, const KeyBlock& keys,
                 const Panels<Scalar>& factors, PaddedRows<Scalar>& sums) {
  constexpr Index kStride = PairBlock<Scalar>::kStride;
  for (Index j = 0; j < keys.count; j += kTileRows)
    multiply_panels<Scalar, LeftFactor::kRows, Into::kSum>(weights.data.data() + j * kStride,
                                                           kStride, factors, 0, factors.depth,
                                                           sums.row(keys.first + j), sums.width);
}

// slopes = slopes * (value_slopes - means), entry by entry.
template <class Scalar>
__attribute__((noinline)) void centre(Scalar* slopes, const Scalar* value_slopes, Index stride,
                                      Index count, const Scalar* means) {
  using Vector = simd::Pack<Scalar>;
  constexpr Index kLanes = simd::PackOf<Scalar>::kLanes;
  const auto first = simd::load<Vector>(means);
  const auto second = simd::load<Vector>(means + kLanes);
  for (Index j = 0; j < count; ++j, slopes += stride, value_slopes += stride) {
    simd::store(slopes, simd::load<Vector>(slopes) * (simd::load<Vector>(value_slopes) - first));
    simd::store(slopes + kLanes, simd::load<Vector>(slopes + kLanes) *
                                     (simd::load<Vector>(value_slopes + kLanes) - second));
  }
}

}  // namespace

// With w_ij the weights, g_i the rows of output_gradient, and x_ij = <g_i, values_j>:
//   dvalues_j = sum_i w_ij g_i,   ds_ij = slope_ij (x_ij - mean_i),
//   mean_i = <g_i, output_i> where the weights are divided by their sum, else 0,
//   dqueries_i = scale sum_j ds_ij keys_j,   dkeys_j = scale sum_i ds_ij queries_i.
template <class Scalar>
Gradient<Scalar> gradient(const MatrixRefOf<Scalar>& queries, const MatrixRefOf<Scalar>& keys,
                          const MatrixRefOf<Scalar>& values,
                          const VectorRefOf<Scalar>& token_weights,
                          const MatrixRefOf<Scalar>& output_gradient, const Options& options) {
  check_scores<Scalar>(queries, keys, token_weights, options);
  check_values<Scalar>(keys, values);
  require_shape(output_gradient.rows(), output_gradient.cols(), queries.rows(), values.cols(),
                "outputGradient");
  require_finite(output_gradient, "outputGradient");
  constexpr Index kStrip = kPanelWidth<Scalar>;
  constexpr Index kStride = PairBlock<Scalar>::kStride;
  const KeySide<Scalar> side(keys, token_weights, options);
  const Panels<Scalar> value_columns = column_panels<Scalar>(values);
  const Panels<Scalar> value_tiles = row_panels<Scalar>(values, kTileRows);
  const Panels<Scalar> key_columns = column_panels<Scalar>(keys);
  const bool centred = divides_by_sum(options.kernel);
  PaddedRows<Scalar> key_sums(keys.rows(), keys.cols());
  PaddedRows<Scalar> value_sums(keys.rows(), values.cols());
  Gradient<Scalar> result;
  result.queries.resize(queries.rows(), queries.cols());
  PairBlock<Scalar> weights, slopes, value_slopes;
  BlockSums<Scalar> sums;
  for (Index first = 0; first < queries.rows(); first += kBlockQueries) {
    const QueryBlock<Scalar> block(queries, first, keys.rows(), options);
    stream_block(block, side, value_columns, options, sums);
    // The block's rows of the output's gradient and its queries, padded like its strips.
    MatrixOf<Scalar> given = MatrixOf<Scalar>::Zero(block.padded_rows(), values.cols());
    given.topRows(block.rows()) = output_gradient.middleRows(first, block.rows());
    const MatrixOf<Scalar> scaled =
        scaled_rows<Scalar>(queries, first, block.rows(), options.scale);
    std::vector<Scalar> means(static_cast<std::size_t>(block.padded_rows()), Scalar{0});
    for (Index i = 0; centred && i < block.rows(); ++i) {
      Scalar mean = 0;
      for (Index j = 0; j < values.cols(); ++j)
        mean += given(i, j) * sums.row(i)[j];
      means[static_cast<std::size_t>(i)] = mean * normaliser<Scalar>(sums.total_of(i));
    }
    const Panels<Scalar> given_strips = row_panels<Scalar>(given);
    const Panels<Scalar> given_columns = column_panels<Scalar>(given);
    const Panels<Scalar> query_columns = column_panels<Scalar>(scaled);
    PaddedRows<Scalar> query_sums(block.padded_rows(), queries.cols());
    for (Index key = 0; key < block.reach(); key += PairBlock<Scalar>::kKeys) {
      const KeyBlock part = key_block(key, PairBlock<Scalar>::kKeys, keys.rows());
      for (Index q = 0; q < block.strip_count(); ++q) {
        multiply_strip(value_tiles, part.first, part.count, given_strips.panel(q),
                       value_slopes.strip(q), kStride);
        ScoreStrip<Scalar> strip = fill_scores(block, q, side, part, weights.strip(q), kStride);
        weigh_strip(strip, slopes.strip(q), options, sums.states[static_cast<std::size_t>(q)]);
        centre(slopes.strip(q), value_slopes.strip(q), kStride, part.count,
               means.data() + q * kStrip);
        strip.scores = slopes.strip(q);
        add_weighted(strip, key_columns, part.first, query_sums.row(q * kStrip), query_sums.width);
      }
      // Rows of padding have no gradient given and no query, so that they add nothing here.
      add_queries(weights, part, given_columns, value_sums);
      add_queries(slopes, part, query_columns, key_sums);
    }
    result.queries.middleRows(first, block.rows()) =
        scaled_rows<Scalar>(query_sums.cut(block.rows(), queries.cols()), 0, block.rows(),
                            options.scale)
            .topRows(block.rows());
  }
  result.keys = key_sums.cut(keys.rows(), keys.cols());
  result.values = value_sums.cut(keys.rows(), values.cols());
  check_result<Scalar>(result.queries);
  check_result<Scalar>(result.keys);
  check_result<Scalar>(result.values);
  return result;
}

#define ATTNLAB_INSTANTIATE(Scalar)                                                       \
  template Gradient<Scalar> gradient<Scalar>(                                             \
      const MatrixRefOf<Scalar>&, const MatrixRefOf<Scalar>&, const MatrixRefOf<Scalar>&, \
      const VectorRefOf<Scalar>&, const MatrixRefOf<Scalar>&, const Options&);
ATTNLAB_INSTANTIATE(float)
ATTNLAB_INSTANTIATE(double)
#undef ATTNLAB_INSTANTIATE

}  // namespace attnlab::attention

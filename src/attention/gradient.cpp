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

// sums += block^T * factors: block is a block of scores' shape, factors are panels of its rows.
template <class Scalar>
void add_transposed(ScoreBlock<Scalar>& block, const KeyBlock& keys, const Panels<Scalar>& factors,
                    PaddedRows<Scalar>& sums) {
  for (Index j = 0; j < keys.count; j += kTileRows)
    multiply_panels<Scalar, LeftFactor::kTransposed, Into::kSum>(
        block.row(0) + j, kBlockKeys, factors.panel(0), factors.stride, factors.count,
        factors.depth, sums.row(keys.first + j), sums.width);
}

// slopes = slopes * (value_slopes - mean), entry by entry.
template <class Scalar>
__attribute__((noinline)) void centre_row(Scalar* slopes, const Scalar* value_slopes, Index width,
                                          Scalar mean) {
  using Vector = simd::Pack<Scalar>;
  constexpr Index kLanes = simd::PackOf<Scalar>::kLanes;
  for (Index j = 0; j < width; j += kLanes)
    simd::store(slopes + j, simd::load<Vector>(slopes + j) *
                                (simd::load<Vector>(value_slopes + j) - simd::splat(mean)));
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
  constexpr Index kWidth = kPanelWidth<Scalar>;
  const KeySide<Scalar> side(keys, token_weights);
  const Panels<Scalar> value_columns = column_panels<Scalar>(values);
  const Panels<Scalar> value_rows = row_panels<Scalar>(values);
  const Panels<Scalar> key_columns = column_panels<Scalar>(keys);
  const auto scale = static_cast<Scalar>(options.scale);
  const bool centred = divides_by_sum(options.kernel);
  PaddedRows<Scalar> key_sums(keys.rows(), keys.cols());
  PaddedRows<Scalar> value_sums(keys.rows(), values.cols());
  Gradient<Scalar> result;
  result.queries.resize(queries.rows(), queries.cols());
  ScoreBlock<Scalar> scores, slopes, value_slopes;
  std::vector<RowState<Scalar>> states;
  std::vector<Scalar> sums;
  for (Index first = 0; first < queries.rows(); first += kBlockQueries) {
    const QueryBlock<Scalar> block(queries, first, keys.rows(), options);
    stream_block(block, side, value_columns, options, scores, states, sums);
    const Index sum_width = value_columns.count * kWidth;
    // The block's rows of the output's gradient, padded like its queries.
    MatrixOf<Scalar> given = MatrixOf<Scalar>::Zero(block.padded_rows(), values.cols());
    given.topRows(block.rows()) = output_gradient.middleRows(first, block.rows());
    std::vector<Scalar> means(static_cast<std::size_t>(block.padded_rows()), Scalar{0});
    for (Index i = 0; centred && i < block.rows(); ++i) {
      Scalar mean = 0;
      for (Index j = 0; j < values.cols(); ++j)
        mean += given(i, j) * sums[static_cast<std::size_t>(i * sum_width + j)];
      means[static_cast<std::size_t>(i)] = mean * normaliser(states[static_cast<std::size_t>(i)]);
    }
    const Panels<Scalar> given_columns = column_panels<Scalar>(given);
    MatrixOf<Scalar> scaled = MatrixOf<Scalar>::Zero(block.padded_rows(), queries.cols());
    scaled.topRows(block.rows()) = scale * queries.middleRows(first, block.rows());
    const Panels<Scalar> query_columns = column_panels<Scalar>(scaled);
    PaddedRows<Scalar> query_sums(block.rows(), queries.cols());
    for (Index key = 0; key < block.reach(); key += kBlockKeys) {
      const KeyBlock key_part = key_block<Scalar>(key, keys.rows());
      for (Index row = 0; row < block.padded_rows(); row += kTileRows) {
        fill_scores(block, row, side.keys, key_part, scores.row(row));
        multiply_panels<Scalar, LeftFactor::kRows, Into::kFresh>(
            given.data() + row * values.cols(), values.cols(),
            value_rows.panel(key_part.first / kWidth), value_rows.stride, key_part.width / kWidth,
            values.cols(), value_slopes.row(row), kBlockKeys);
        for (Index i = row; i < row + kTileRows; ++i) {
          weigh_row(score_row(block, i, side, key_part, scores.row(i)), slopes.row(i), options,
                    states[static_cast<std::size_t>(i)]);
          centre_row(slopes.row(i), value_slopes.row(i), key_part.width,
                     means[static_cast<std::size_t>(i)]);
        }
        multiply_panels<Scalar, LeftFactor::kRows, Into::kSum>(
            slopes.row(row), kBlockKeys, key_columns.row(key_part.first), key_columns.stride,
            key_columns.count, key_part.count, query_sums.row(row), query_sums.width);
      }
      // Rows of padding have no gradient given and no query, so that they add nothing here.
      add_transposed(scores, key_part, given_columns, value_sums);
      add_transposed(slopes, key_part, query_columns, key_sums);
    }
    result.queries.middleRows(first, block.rows()) =
        scale * query_sums.cut(block.rows(), queries.cols());
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

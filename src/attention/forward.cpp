#include "attention/attention.h"
#include "attention/check.h"
#include "attention/stream.h"
#include "attention/sums_first.h"

namespace attnlab::attention {

template <class Scalar>
MatrixOf<Scalar> forward(const MatrixRefOf<Scalar>& queries, const MatrixRefOf<Scalar>& keys,
                         const MatrixRefOf<Scalar>& values,
                         const VectorRefOf<Scalar>& token_weights, const Options& options) {
  check_scores<Scalar>(queries, keys, token_weights, options);
  check_values<Scalar>(keys, values);
  if (sums_come_first<Scalar>(queries, keys, values, options)) {
    MatrixOf<Scalar> output =
        forward_sums_first<Scalar>(queries, keys, values, token_weights, options);
    check_result<Scalar>(output);
    return output;
  }
  const KeySide<Scalar> side(keys, token_weights);
  const Panels<Scalar> panels = column_panels<Scalar>(values);
  const Index width = panels.count * kPanelWidth<Scalar>;
  MatrixOf<Scalar> output(queries.rows(), values.cols());
  ScoreBlock<Scalar> scores;
  std::vector<RowState<Scalar>> states;
  std::vector<Scalar> sums;
  for (Index first = 0; first < queries.rows(); first += kBlockQueries) {
    const QueryBlock<Scalar> block(queries, first, keys.rows(), options);
    stream_block(block, side, panels, options, scores, states, sums);
    for (Index i = 0; i < block.rows(); ++i) {
      const Scalar factor = normaliser(states[static_cast<std::size_t>(i)]);
      const Scalar* sum = sums.data() + i * width;
      for (Index j = 0; j < values.cols(); ++j)
        output(first + i, j) = factor * sum[j];
    }
  }
  check_result<Scalar>(output);
  return output;
}

template <class Scalar>
MatrixOf<Scalar> weights(const MatrixRefOf<Scalar>& queries, const MatrixRefOf<Scalar>& keys,
                         const VectorRefOf<Scalar>& token_weights, const Options& options) {
  check_scores<Scalar>(queries, keys, token_weights, options);
  const KeySide<Scalar> side(keys, token_weights);
  const Panels<Scalar> no_values;
  MatrixOf<Scalar> result = MatrixOf<Scalar>::Zero(queries.rows(), keys.rows());
  ScoreBlock<Scalar> scores;
  std::vector<RowState<Scalar>> states;
  std::vector<Scalar> sums;
  for (Index first = 0; first < queries.rows(); first += kBlockQueries) {
    const QueryBlock<Scalar> rows(queries, first, keys.rows(), options);
    stream_block(rows, side, no_values, options, scores, states, sums);
    for (Index key = 0; key < rows.reach(); key += kBlockKeys) {
      const KeyBlock block = key_block<Scalar>(key, keys.rows());
      for (Index i = 0; i < rows.padded_rows(); i += kTileRows)
        fill_scores(rows, i, side.keys, block, scores.row(i));
      for (Index i = 0; i < rows.rows(); ++i) {
        weigh_row<Scalar>(score_row(rows, i, side, block, scores.row(i)), nullptr, options,
                          states[static_cast<std::size_t>(i)]);
        std::copy_n(scores.row(i), block.count, &result(first + i, key));
      }
    }
  }
  check_result<Scalar>(result);
  return result;
}

#define ATTNLAB_INSTANTIATE(Scalar)                                                       \
  template MatrixOf<Scalar> forward<Scalar>(                                              \
      const MatrixRefOf<Scalar>&, const MatrixRefOf<Scalar>&, const MatrixRefOf<Scalar>&, \
      const VectorRefOf<Scalar>&, const Options&);                                        \
  template MatrixOf<Scalar> weights<Scalar>(const MatrixRefOf<Scalar>&,                   \
                                            const MatrixRefOf<Scalar>&,                   \
                                            const VectorRefOf<Scalar>&, const Options&);
ATTNLAB_INSTANTIATE(float)
ATTNLAB_INSTANTIATE(double)
#undef ATTNLAB_INSTANTIATE

}  // namespace attnlab::attention

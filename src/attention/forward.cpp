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
  if (sums_come_first<Scalar>(queries, keys, values, token_weights, options)) {
    MatrixOf<Scalar> output =
        forward_sums_first<Scalar>(queries, keys, values, token_weights, options);
    check_result<Scalar>(output);
    return output;
  }
  const KeySide<Scalar> side(keys, token_weights, options);
  const Panels<Scalar> panels = column_panels<Scalar>(values);
  MatrixOf<Scalar> output(queries.rows(), values.cols());
  BlockSums<Scalar> sums;
  for (Index first = 0; first < queries.rows(); first += kBlockQueries) {
    const QueryBlock<Scalar> block(queries, first, keys.rows(), options);
    stream_block(block, side, panels, options, sums);
    for (Index i = 0; i < block.rows(); ++i) {
      // Divided, and in double: of a small total the inverse may lie beyond the range.
      const double total = sums.total_of(i);
      const Scalar* sum = sums.row(i);
      for (Index j = 0; j < values.cols(); ++j)
        output(first + i, j) =
            total == 0 ? Scalar{0} : static_cast<Scalar>(static_cast<double>(sum[j]) / total);
    }
  }
  check_result<Scalar>(output);
  return output;
}

template <class Scalar>
MatrixOf<Scalar> weights(const MatrixRefOf<Scalar>& queries, const MatrixRefOf<Scalar>& keys,
                         const VectorRefOf<Scalar>& token_weights, const Options& options) {
  constexpr Index kStrip = kPanelWidth<Scalar>;
  check_scores<Scalar>(queries, keys, token_weights, options);
  const KeySide<Scalar> side(keys, token_weights, options);
  const Panels<Scalar> no_values;
  MatrixOf<Scalar> result = MatrixOf<Scalar>::Zero(queries.rows(), keys.rows());
  BlockSums<Scalar> sums;
  std::vector<Scalar> scores(static_cast<std::size_t>(kBlockKeys * kStrip));
  for (Index first = 0; first < queries.rows(); first += kBlockQueries) {
    const QueryBlock<Scalar> rows(queries, first, keys.rows(), options);
    stream_block(rows, side, no_values, options, sums);
    for (Index key = 0; key < rows.reach(); key += kBlockKeys) {
      const KeyBlock block = key_block(key, kBlockKeys, keys.rows());
      for (Index q = 0; q < rows.strip_count(); ++q) {
        const ScoreStrip<Scalar> strip = fill_scores(rows, q, side, block, scores.data(), kStrip);
        weigh_strip<Scalar>(strip, nullptr, options, sums.states[static_cast<std::size_t>(q)]);
        const Index count = std::min(kStrip, rows.rows() - q * kStrip);
        for (Index c = 0; c < count; ++c)
          for (Index j = 0; j < block.count; ++j)
            result(first + q * kStrip + c, key + j) =
                scores[static_cast<std::size_t>(j * kStrip + c)];
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

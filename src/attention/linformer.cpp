#include "attention/linformer.h"

#include <cmath>
#include <string>

#include "core/random.h"
#include "core/require.h"
#include "core/special.h"

namespace attnlab::attention {
namespace {

constexpr std::uint64_t kProjectionStream = 0x11f0;

struct Projected {
  Matrix keys;    // r x d
  Matrix values;  // r x p
};

Projected pool(const MatrixRef& keys, const MatrixRef& values, Index rank) {
  const Index n = keys.rows();
  Projected result{Matrix(rank, keys.cols()), Matrix(rank, values.cols())};
  for (Index r = 0; r < rank; ++r) {
    const Index begin = n * r / rank;
    const Index size = n * (r + 1) / rank - begin;
    result.keys.row(r) = keys.middleRows(begin, size).colwise().sum() / static_cast<double>(size);
    result.values.row(r) =
        values.middleRows(begin, size).colwise().sum() / static_cast<double>(size);
  }
  return result;
}

Projected project(const MatrixRef& keys, const MatrixRef& values, Index rank, std::uint64_t seed) {
  RandomStream random(seed, stream_of({kProjectionStream}));
  Projected result{Matrix::Zero(rank, keys.cols()), Matrix::Zero(rank, values.cols())};
  const double size = 1 / std::sqrt(static_cast<double>(rank));
  for (Index j = 0; j < keys.rows(); ++j)
    for (Index r = 0; r < rank; ++r) {
      const double entry = size * random.gaussian();
      result.keys.row(r) += entry * keys.row(j);
      result.values.row(r) += entry * values.row(j);
    }
  return result;
}

}  // namespace

Matrix linformer_attention(const MatrixRef& queries, const MatrixRef& keys, const MatrixRef& values,
                           double scale, Index rank, LinformerProjection projection,
                           std::uint64_t seed) {
  require_shape(keys.rows(), keys.cols(), -1, queries.cols(), "keys");
  require_shape(values.rows(), values.cols(), keys.rows(), -1, "values");
  require_finite(queries, "queries");
  require_finite(keys, "keys");
  require_finite(values, "values");
  require_finite(scale, "scale");
  const bool pools = projection == LinformerProjection::kPool;
  if (keys.rows() < 1)
    fail(ErrorCode::kShape, "keys", "has no rows; at least one token is expected");
  if (rank < 1 || (pools && rank > keys.rows()))
    fail(ErrorCode::kOutOfRange, "rank",
         "is " + std::to_string(rank) + "; 1 to the " + std::to_string(keys.rows()) +
             " tokens is allowed");
  const Projected projected = pools ? pool(keys, values, rank) : project(keys, values, rank, seed);
  Matrix output(queries.rows(), values.cols());
  for (Index i = 0; i < queries.rows(); ++i) {
    const Vector scores = scale * (projected.keys * queries.row(i).transpose());
    output.row(i) = softmax(scores).transpose() * projected.values;
  }
  return output;
}

}  // namespace attnlab::attention

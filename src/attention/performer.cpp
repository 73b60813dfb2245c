#include "attention/performer.h"

#include <algorithm>
#include <cmath>

#include "core/portable.h"
#include "core/require.h"

namespace attnlab::attention {
namespace {

// <w_f, x> - |x|^2 / 2 for every feature.
Vector exponents(const MatrixRef& directions, const Vector& x) {
  return (directions * x).array() - x.squaredNorm() / 2;
}

}  // namespace

Matrix orthogonal_directions(Index features, Index dimension, RandomStream& random) {
  Matrix directions(features, dimension);
  // Without dimensions there is no block to fill, and none would be the last.
  for (Index begin = 0; dimension > 0 && begin < features; begin += dimension) {
    const Index rows = std::min(dimension, features - begin);
    Matrix block = random.gaussian_matrix(rows, dimension);
    // Modified Gram-Schmidt, twice for orthogonality to rounding.
    for (Index i = 0; i < rows; ++i) {
      for (int pass = 0; pass < 2; ++pass)
        for (Index j = 0; j < i; ++j)
          block.row(i) -= block.row(i).dot(block.row(j)) * block.row(j);
      block.row(i) /= block.row(i).norm();
    }
    for (Index i = 0; i < rows; ++i)
      directions.row(begin + i) = random.gaussian_vector(dimension).norm() * block.row(i);
  }
  return directions;
}

Matrix performer_attention(const MatrixRef& queries, const MatrixRef& keys, const MatrixRef& values,
                           double scale, const MatrixRef& directions) {
  const Index n = keys.rows();
  const Index p = values.cols();
  require_shape(keys.rows(), keys.cols(), -1, queries.cols(), "keys");
  require_shape(values.rows(), values.cols(), n, -1, "values");
  require_shape(directions.rows(), directions.cols(), -1, queries.cols(), "directions");
  if (n < 1) fail(ErrorCode::kShape, "keys", "has no rows; at least one token is expected");
  if (directions.rows() < 1)
    fail(ErrorCode::kShape, "directions", "has no rows; at least one feature is expected");
  require_finite(queries, "queries");
  require_finite(keys, "keys");
  require_finite(values, "values");
  require_finite(scale, "scale");
  if (!(scale > 0))
    fail(ErrorCode::kOutOfRange, "scale", "is " + show(scale) + "; more than 0 is allowed");

  const double root = std::sqrt(scale);
  const Index features = directions.rows();
  double largest = exponents(directions, root * keys.row(0).transpose()).maxCoeff();
  for (Index j = 1; j < n; ++j)
    largest = std::max(largest, exponents(directions, root * keys.row(j).transpose()).maxCoeff());
  Matrix state = Matrix::Zero(features, p + 1);
  for (Index j = 0; j < n; ++j) {
    const Vector powers = exponents(directions, root * keys.row(j).transpose());
    for (Index f = 0; f < features; ++f) {
      const double w = portable::exp(powers(f) - largest);
      state.row(f).head(p) += w * values.row(j);
      state(f, p) += w;
    }
  }
  Matrix output(queries.rows(), p);
  Vector sums(p + 1);
  for (Index i = 0; i < queries.rows(); ++i) {
    const Vector powers = exponents(directions, root * queries.row(i).transpose());
    const double top = powers.maxCoeff();
    sums.setZero();
    for (Index f = 0; f < features; ++f)
      sums += portable::exp(powers(f) - top) * state.row(f).transpose();
    output.row(i) = sums.head(p).transpose() / sums(p);
  }
  return output;
}

}  // namespace attnlab::attention

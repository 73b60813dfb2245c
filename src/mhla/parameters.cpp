#include "mhla/parameters.h"

#include "core/require.h"
#include "mhla/features.h"

namespace attnlab::mhla {
namespace {

enum class Gauge { kSymmetric, kOneSided };

Matrix unfold(const MatrixRef& coefficients, Index d, Gauge gauge) {
  require_shape(coefficients.rows(), coefficients.cols(), -1, feature_count(d), "coefficients");
  Matrix w = Matrix::Zero(coefficients.rows() * d, d * d);
  for (Index a = 0; a < coefficients.rows(); ++a)
    for (Index j = 0; j < d; ++j)
      for (Index k = j; k < d; ++k)
        for (Index l = 0; l < d; ++l) {
          const double c = coefficients(a, pair_index(d, j, k) * d + l);
          if (j == k || gauge == Gauge::kOneSided) {
            w(a * d + j, k * d + l) = c;
          } else {
            w(a * d + j, k * d + l) = c / 2;
            w(a * d + k, j * d + l) = c / 2;
          }
        }
  return w;
}

}  // namespace

Matrix w_matrix(const Heads& heads) {
  require_heads(heads);
  const Index d = heads.front().query.cols();
  const Index outputs = heads.front().value.rows();
  Matrix w = Matrix::Zero(outputs * d, d * d);
  for (const Head& head : heads) {
    const Eigen::Map<const Vector> value(head.value.data(), head.value.size());
    const Eigen::Map<const Vector> query(head.query.data(), head.query.size());
    w.noalias() += value * query.transpose();
  }
  return w;
}

Matrix coefficients(const Heads& heads) {
  require_heads(heads);
  const Index d = heads.front().query.cols();
  const Index outputs = heads.front().value.rows();
  Matrix c = Matrix::Zero(outputs, feature_count(d));
  for (const Head& head : heads)
    for (Index a = 0; a < outputs; ++a)
      for (Index j = 0; j < d; ++j)
        for (Index k = 0; k < d; ++k)
          c.row(a).segment(pair_index(d, j, k) * d, d) += head.value(a, j) * head.query.row(k);
  return c;
}

Matrix coefficients(const MatrixRef& w, Index d) {
  if (d < 1 || w.rows() % d != 0 || w.rows() == 0)
    fail(ErrorCode::kShape, "w", "has a number of rows that is no multiple of the dimension");
  require_shape(w.rows(), w.cols(), -1, d * d, "w");
  const Index outputs = w.rows() / d;
  Matrix c = Matrix::Zero(outputs, feature_count(d));
  for (Index a = 0; a < outputs; ++a)
    for (Index j = 0; j < d; ++j)
      for (Index k = 0; k < d; ++k)
        c.row(a).segment(pair_index(d, j, k) * d, d) += w.row(a * d + j).segment(k * d, d);
  return c;
}

Matrix symmetric_w(const MatrixRef& coefficients, Index d) {
  return unfold(coefficients, d, Gauge::kSymmetric);
}

Matrix one_sided_w(const MatrixRef& coefficients, Index d) {
  return unfold(coefficients, d, Gauge::kOneSided);
}

Vector gauge_weights(Index d) {
  Vector weights = Vector::Constant(feature_count(d), 0.5);
  weights.tail(d * d).setOnes();
  return weights;
}

}  // namespace attnlab::mhla

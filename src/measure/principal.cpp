#include "measure/principal.h"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <string>

#include "core/require.h"

namespace attnlab::measure {
namespace {

// Directions of largest variance as columns, d x k, and their variances.
struct Directions {
  Matrix vectors;
  Vector variances;
};

Directions directions(const Matrix& covariance, Index k) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(covariance);
  Directions result{Matrix(covariance.rows(), k), Vector(k)};
  for (Index j = 0; j < k; ++j) {
    const Index source = covariance.rows() - 1 - j;
    Vector vector = solver.eigenvectors().col(source);
    Index largest = 0;
    vector.cwiseAbs().maxCoeff(&largest);
    if (vector(largest) < 0) vector = -vector;
    result.vectors.col(j) = vector;
    result.variances(j) = solver.eigenvalues()(source);
  }
  return result;
}

}  // namespace

RowMoments row_moments(const MatrixRef& tokens) {
  const auto n = static_cast<double>(tokens.rows());
  RowMoments result;
  result.mean = tokens.colwise().sum().transpose() / n;
  // Row by row: a blocked product would sum in an order that depends on the machine's caches.
  result.covariance = Matrix::Zero(tokens.cols(), tokens.cols());
  Vector deviation(tokens.cols());
  for (Index i = 0; i < tokens.rows(); ++i) {
    deviation = tokens.row(i).transpose() - result.mean;
    for (Index j = 0; j < tokens.cols(); ++j)
      for (Index k = 0; k < tokens.cols(); ++k)
        result.covariance(j, k) += deviation(j) * deviation(k);
  }
  result.covariance /= n;
  return result;
}

Matrix principal_components(const MatrixRef& tokens, Index components, Scaling scaling) {
  require_shape(tokens.rows(), tokens.cols(), -1, -1, "tokens");
  require_finite(tokens, "tokens");
  if (tokens.rows() < 2)
    fail(ErrorCode::kShape, "tokens",
         "has " + std::to_string(tokens.rows()) + " rows; at least 2 are expected");
  if (components < 0 || components > tokens.cols())
    fail(ErrorCode::kOutOfRange, "components",
         "is " + std::to_string(components) + "; 0 to the " + std::to_string(tokens.cols()) +
             " coordinates of the tokens is allowed");
  const RowMoments moments = row_moments(tokens);
  const double total = moments.covariance.trace();
  if (!(total > 0)) fail(ErrorCode::kOutOfRange, "tokens", "are all equal: nothing varies");

  if (components == 0) {
    if (scaling == Scaling::kNone) return tokens;
    if (scaling == Scaling::kUnitAverage)
      return tokens / std::sqrt(total / static_cast<double>(tokens.cols()));
    components = tokens.cols();
  }
  const Directions kept = directions(moments.covariance, components);
  while (!(kept.variances(components - 1) > 1e-12 * total))
    --components;  // the first one holds a share of the variance
  Matrix result = (tokens.rowwise() - moments.mean.transpose()) * kept.vectors.leftCols(components);
  if (scaling == Scaling::kUnitAverage)
    result /= std::sqrt(kept.variances.head(components).sum() / static_cast<double>(components));
  if (scaling == Scaling::kWhitened)
    for (Index j = 0; j < components; ++j)
      result.col(j) /= std::sqrt(kept.variances(j));
  return result;
}

}  // namespace attnlab::measure

#include "measure/psd_factor.h"

#include <cmath>
#include <string>

#include "core/require.h"

namespace attnlab::measure {
namespace {

constexpr double kTolerance = 1e-10;

void require_symmetric(const MatrixRef& matrix, double scale, std::string_view parameter) {
  for (Index i = 0; i < matrix.rows(); ++i)
    for (Index j = 0; j < i; ++j)
      if (std::fabs(matrix(i, j) - matrix(j, i)) > kTolerance * scale)
        fail(ErrorCode::kOutOfRange, parameter,
             "is not symmetric: entry (" + std::to_string(i) + ", " + std::to_string(j) + ") is " +
                 show(matrix(i, j)) + ", its mirror " + show(matrix(j, i)));
}

[[noreturn]] void fail_indefinite(std::string_view parameter) {
  fail(ErrorCode::kOutOfRange, parameter,
       "is not positive semi-definite; a covariance has no negative eigenvalue");
}

}  // namespace

Matrix psd_factor(const MatrixRef& covariance, std::string_view parameter) {
  const Index d = covariance.rows();
  require_shape(d, covariance.cols(), d, d, parameter);
  require_finite(covariance, parameter);
  const double scale = d == 0 ? 0 : covariance.cwiseAbs().maxCoeff();
  require_symmetric(covariance, scale, parameter);

  Matrix rest = covariance;
  Matrix factor = Matrix::Zero(d, d);
  Index rank = 0;
  for (; rank < d; ++rank) {
    Index pivot = 0;
    const double largest = rest.diagonal().maxCoeff(&pivot);
    if (!(largest > kTolerance * scale)) break;
    factor.col(rank) = rest.col(pivot) / std::sqrt(largest);
    rest -= factor.col(rank) * factor.col(rank).transpose();
    // Exactly zero, so that rounding never brings a used pivot back.
    rest.row(pivot).setZero();
    rest.col(pivot).setZero();
  }
  // What is left of a positive semi-definite matrix is nothing.
  if (d > 0 && rest.cwiseAbs().maxCoeff() > 10 * kTolerance * scale) fail_indefinite(parameter);
  return factor.leftCols(rank);
}

}  // namespace attnlab::measure

#include "needle/whitened.h"

#include <Eigen/Cholesky>

#include "core/error.h"

namespace attnlab::needle {

Matrix whitened_normals(Index rows, Index columns, RandomStream& random) {
  if (rows <= 2 * columns)
    fail(ErrorCode::kShape, "samples", "more than twice as many samples as columns are needed");
  Matrix sample = random.gaussian_matrix(rows, columns);
  sample.rowwise() -= sample.colwise().mean().eval();
  const Eigen::MatrixXd covariance = sample.transpose() * sample / static_cast<double>(rows);
  const Eigen::LLT<Eigen::MatrixXd> factor(covariance);
  return factor.matrixL().solve(sample.transpose()).transpose();
}

}  // namespace attnlab::needle

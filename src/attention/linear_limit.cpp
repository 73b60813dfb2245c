#include "attention/linear_limit.h"

#include "core/require.h"

namespace attnlab::attention {

Matrix linear_limit(const MatrixRef& queries, const MatrixRef& keys, const MatrixRef& values,
                    double scale) {
  const Index n = keys.rows();
  require_shape(keys.rows(), keys.cols(), -1, queries.cols(), "keys");
  require_shape(values.rows(), values.cols(), n, -1, "values");
  if (n < 1) fail(ErrorCode::kShape, "keys", "has no rows; at least one token is expected");
  require_finite(queries, "queries");
  require_finite(keys, "keys");
  require_finite(values, "values");
  require_finite(scale, "scale");
  const auto count = static_cast<double>(n);
  const Vector key_mean = keys.colwise().sum().transpose() / count;
  const Vector value_mean = values.colwise().sum().transpose() / count;
  Matrix cross = Matrix::Zero(values.cols(), keys.cols());
  Vector key(keys.cols());
  for (Index j = 0; j < n; ++j) {
    key = keys.row(j).transpose() - key_mean;
    for (Index p = 0; p < values.cols(); ++p)
      cross.row(p) += (values(j, p) - value_mean(p)) * key.transpose();
  }
  cross *= scale / count;
  Matrix output(queries.rows(), values.cols());
  for (Index i = 0; i < queries.rows(); ++i)
    output.row(i) = (value_mean + cross * queries.row(i).transpose()).transpose();
  return output;
}

}  // namespace attnlab::attention

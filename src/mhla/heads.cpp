#include "mhla/heads.h"

#include <algorithm>
#include <cmath>

#include "core/require.h"
#include "mhla/features.h"

namespace attnlab::mhla {

HeadSplit split_heads(const MatrixRef& w, Index d, double tolerance) {
  if (d < 1 || w.rows() < d || w.rows() % d != 0)
    fail(ErrorCode::kShape, "w", "has a number of rows that is no multiple of the dimension");
  require_shape(w.rows(), w.cols(), -1, d * d, "w");
  require_finite(w, "w");
  SingularValues decomposition{Eigen::MatrixXd(w)};
  while (!decomposition.step()) {
  }
  return split_heads(decomposition, w, d, tolerance);
}

HeadSplit split_heads(const SingularValues& decomposition, const MatrixRef& w, Index d,
                      double tolerance) {
  const Index outputs = w.rows() / d;
  HeadSplit split;
  const Index most = std::min(w.rows(), d * d);
  split.singular_values = decomposition.values().head(most);
  for (Index i = 0; i < most; ++i) {
    const double s = split.singular_values(i);
    if (!(s > 0) || s < tolerance * split.singular_values(0)) break;
    const Vector right = decomposition.vectors().col(i);
    const Vector left = w * right / std::sqrt(s);
    const Vector query = std::sqrt(s) * right;
    split.heads.push_back({Eigen::Map<const Matrix>(left.data(), outputs, d),
                           Eigen::Map<const Matrix>(query.data(), d, d)});
  }
  if (split.heads.empty()) split.heads.push_back({Matrix::Zero(outputs, d), Matrix::Zero(d, d)});
  return split;
}

Index smallest_general_head_count(Index d) {
  Index r = 1;
  while (r < d * d && r * (2 * d * d - r) < d * d * d * (d + 1) / 2)
    ++r;
  return r;
}

}  // namespace attnlab::mhla

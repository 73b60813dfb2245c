#include "mhla/tall_qr.h"

#include <algorithm>
#include <cmath>

namespace attnlab::mhla {
namespace {

constexpr Index kPanel = 32;

}  // namespace

TallQr::TallQr(Index columns) : r_(Eigen::MatrixXd::Zero(columns, columns)) {}

Eigen::MatrixXd& TallQr::begin(Index rows) {
  column_ = 0;
  block_.resize(rows, r_.cols());
  return block_;
}

bool TallQr::step() {
  const Index columns = r_.cols();
  const Index first = column_;
  const Index width = std::min(kPanel, columns - first);
  // Reflections H_c = I - tau_c v_c v_c^T with v_c = (e_c; block column), one a column.
  Eigen::MatrixXd triangle = Eigen::MatrixXd::Zero(width, width);
  for (Index c = 0; c < width; ++c) {
    const Index j = first + c;
    auto v = block_.col(j);
    const double below = v.squaredNorm();
    if (below == 0) continue;  // nothing to eliminate: H = I
    const double alpha = r_(j, j);
    const double norm = std::sqrt(alpha * alpha + below);
    const double beta = alpha > 0 ? -norm : norm;
    const double tau = (beta - alpha) / beta;
    v /= alpha - beta;
    r_(j, j) = beta;
    for (Index other = c + 1; other < width; ++other) {
      auto target = block_.col(first + other);
      const double w = tau * (r_(j, first + other) + v.dot(target));
      r_(j, first + other) -= w;
      target -= w * v;
    }
    triangle(c, c) = tau;
    for (Index i = 0; i < c; ++i)
      triangle(i, c) = block_.col(first + i).dot(v);
    if (c > 0)
      triangle.col(c).head(c) =
          -tau *
          (triangle.topLeftCorner(c, c).triangularView<Eigen::Upper>() * triangle.col(c).head(c))
              .eval();
  }
  const Index after = first + width;
  const Index rest = columns - after;
  if (rest > 0) {
    const auto v = block_.middleCols(first, width);
    Eigen::MatrixXd w = r_.block(first, after, width, rest);
    w.noalias() += v.transpose() * block_.rightCols(rest);
    w = (triangle.transpose().triangularView<Eigen::Lower>() * w).eval();
    r_.block(first, after, width, rest) -= w;
    block_.rightCols(rest).noalias() -= v * w;
  }
  column_ = after;
  return column_ == columns;
}

}  // namespace attnlab::mhla

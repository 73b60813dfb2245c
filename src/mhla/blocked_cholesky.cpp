#include "mhla/blocked_cholesky.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace attnlab::mhla {
namespace {

constexpr Index kPanel = 48;

}  // namespace

BlockedCholesky::BlockedCholesky(Eigen::MatrixXd matrix) : l_(std::move(matrix)) {}

bool BlockedCholesky::step() {
  const Index size = l_.rows();
  const Index first = column_;
  const Index width = std::min(kPanel, size - first);
  const double smallest = static_cast<double>(size) * std::numeric_limits<double>::epsilon();
  // The panel, column by column: its diagonal block and what stands below.
  for (Index c = 0; c < width; ++c) {
    const Index j = first + c;
    auto column = l_.col(j).tail(size - j);
    for (Index i = 0; i < c; ++i)
      column -= l_(j, first + i) * l_.col(first + i).tail(size - j);
    if (!(column(0) > smallest)) {
      failed_ = true;
      return true;
    }
    column /= std::sqrt(column(0));
  }
  column_ = first + width;
  const Index rest = size - column_;
  if (rest > 0)
    l_.bottomRightCorner(rest, rest)
        .selfadjointView<Eigen::Lower>()
        .rankUpdate(l_.block(column_, first, rest, width), -1);
  return column_ == size;
}

double BlockedCholesky::progress() const {
  if (l_.rows() == 0) return 1;
  const double left = 1 - static_cast<double>(column_) / static_cast<double>(l_.rows());
  return 1 - left * left * left;
}

void BlockedCholesky::solve_lower_in_place(Eigen::MatrixXd& x) const {
  l_.triangularView<Eigen::Lower>().solveInPlace(x);
}

void BlockedCholesky::solve_upper_in_place(Eigen::MatrixXd& x) const {
  l_.triangularView<Eigen::Lower>().transpose().solveInPlace(x);
}

void BlockedCholesky::solve_in_place(Eigen::MatrixXd& x) const {
  solve_lower_in_place(x);
  solve_upper_in_place(x);
}

}  // namespace attnlab::mhla

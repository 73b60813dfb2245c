#include "mhla/kernel.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <utility>

#include "mhla/inner_product.h"

namespace attnlab::mhla {

double kernel(const Samples& a, Index i, const Samples& b, Index j) {
  const Index d = a.dimension();
  const Index off_diagonal = d * (d - 1) / 2;
  const double* g = a.grams.row(i).data();
  const double* h = b.grams.row(j).data();
  const double grams =
      2 * inner_product(g, h, off_diagonal) + inner_product(g + off_diagonal, h + off_diagonal, d);
  return grams * inner_product(a.queries.row(i).data(), b.queries.row(j).data(), d);
}

PivotedCholesky::PivotedCholesky(Vector diagonal, double tolerance)
    : diagonal_(std::move(diagonal)),
      remaining_(Vector::Zero(diagonal_.size())),
      tolerance_(tolerance),
      factor_(diagonal_.size(), std::min<Index>(diagonal_.size(), 16)) {
  // Relative to each sample's own size, so that samples of small prompts count as well.
  for (Index i = 0; i < diagonal_.size(); ++i)
    remaining_(i) = diagonal_(i) > 0 ? 1.0 : 0.0;
}

Index PivotedCholesky::next() const {
  if (remaining_.size() == 0) return -1;
  Index pivot = 0;
  const double largest = remaining_.maxCoeff(&pivot);
  return largest > tolerance_ ? pivot : -1;
}

void PivotedCholesky::add(const Vector& column) {
  const Index pivot = next();
  const Index rank = this->rank();
  if (rank == factor_.cols())
    factor_.conservativeResize(Eigen::NoChange, std::min(diagonal_.size(), 2 * rank));
  Eigen::VectorXd rest = column;
  for (Index c = 0; c < rank; ++c)
    add_scaled(-factor_(pivot, c), factor_.col(c).data(), rest.data(), rest.size());
  rest /= std::sqrt(rest(pivot));
  // Chosen samples have nothing left; what rounding leaves there is not carried on.
  for (const Index chosen : pivots_)
    rest(chosen) = 0;
  factor_.col(rank) = rest;
  pivots_.push_back(pivot);
  for (Index i = 0; i < diagonal_.size(); ++i)
    if (remaining_(i) > 0)
      remaining_(i) = std::max(0.0, remaining_(i) - rest(i) * rest(i) / diagonal_(i));
  remaining_(pivot) = 0;
}

Eigen::MatrixXd PivotedCholesky::pivot_factor() const {
  Eigen::MatrixXd result(rank(), rank());
  for (Index i = 0; i < rank(); ++i)
    result.row(i) = factor_.row(pivots_[static_cast<std::size_t>(i)]).head(rank());
  return result;
}

Eigen::MatrixXd PivotedCholesky::solve(const Eigen::MatrixXd& y) const {
  if (rank() == 0) return Eigen::MatrixXd::Zero(0, y.cols());
  const Eigen::MatrixXd lower = pivot_factor();
  Eigen::MatrixXd beta;
  if (rank() == diagonal_.size()) {
    beta.resize(rank(), y.cols());
    for (Index i = 0; i < rank(); ++i)
      beta.row(i) = y.row(pivots_[static_cast<std::size_t>(i)]);
    lower.triangularView<Eigen::Lower>().solveInPlace(beta);
  } else {
    const Eigen::HouseholderQR<Eigen::MatrixXd> qr(factor());
    beta = qr.solve(y);
  }
  lower.triangularView<Eigen::Lower>().transpose().solveInPlace(beta);
  return beta;
}

double PivotedCholesky::residual(const VectorRef& pivot_kernel, double self) const {
  if (!(self > 0)) return 0;
  if (rank() == 0) return 1;
  Eigen::VectorXd x = pivot_kernel;
  const Eigen::MatrixXd lower = pivot_factor();
  lower.triangularView<Eigen::Lower>().solveInPlace(x);
  return std::max(0.0, 1 - x.squaredNorm() / self);
}

}  // namespace attnlab::mhla

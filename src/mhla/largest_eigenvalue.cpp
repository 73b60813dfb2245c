#include "mhla/largest_eigenvalue.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/random.h"

namespace attnlab::mhla {
namespace {

constexpr Index kMostSteps = 400;
constexpr double kTolerance = 1e-10;

// The power of two at the largest entry. Dividing by it rounds nothing.
double power_of_two(const Eigen::VectorXd& w) {
  const double largest = w.cwiseAbs().maxCoeff();
  return largest > 0 && std::isfinite(largest) ? std::exp2(std::ilogb(largest)) : 1.0;
}

}  // namespace

LargestEigenvalue::LargestEigenvalue(Index size, Operator apply)
    : apply_(std::move(apply)), size_(size), basis_(size, std::min<Index>(size + 1, 32)) {
  const Index most = std::min(size, kMostSteps);
  diagonal_.resize(most);
  off_diagonal_.resize(most);
  // A fixed start: the answer does not depend on it, only the number of steps does.
  RandomStream random(1, stream_of({0x1a5c05}));
  basis_.col(0) = random.gaussian_vector(size).normalized();
}

bool LargestEigenvalue::step() {
  const Index j = count_;
  if (j + 1 >= basis_.cols())
    basis_.conservativeResize(Eigen::NoChange, std::min(size_ + 1, 2 * basis_.cols()));
  Eigen::VectorXd w = apply_(basis_.col(j));
  if (j == 0) scale_ = power_of_two(w);
  w /= scale_;
  diagonal_(j) = w.dot(basis_.col(j));
  for (int pass = 0; pass < 2; ++pass)
    w -= basis_.leftCols(j + 1) * (basis_.leftCols(j + 1).transpose() * w);
  off_diagonal_(j) = w.norm();
  ++count_;
  const bool last = count_ == diagonal_.size() || !(off_diagonal_(j) > 0);
  if (!last) basis_.col(j + 1) = w / off_diagonal_(j);
  if (!last && count_ % 4 != 0) return false;

  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver;
  const Eigen::VectorXd diagonal = diagonal_.head(count_);
  const Eigen::VectorXd off_diagonal = off_diagonal_.head(count_ - 1);
  solver.computeFromTridiagonal(diagonal, off_diagonal);
  value_ = solver.eigenvalues()(count_ - 1);
  const double residual =
      off_diagonal_(j) * std::fabs(solver.eigenvectors()(count_ - 1, count_ - 1));
  return last || residual <= kTolerance * value_;
}

}  // namespace attnlab::mhla

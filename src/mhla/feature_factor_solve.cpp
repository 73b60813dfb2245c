// What a finished factorisation answers.
#include <Eigen/QR>

#include "mhla/feature_factor.h"
#include "mhla/parameters.h"

namespace attnlab::mhla {
namespace {

// Read-only, which Eigen's transposed triangular views want.
const Eigen::TriangularView<const Eigen::MatrixXd, Eigen::Upper> upper_part(
    const Eigen::MatrixXd& r) {
  return r.triangularView<Eigen::Upper>();
}

}  // namespace

Eigen::MatrixXd FeatureFactor::solution() const {
  if (way_ == FactorWay::kCholesky) return normal_solve(cross_);
  Eigen::MatrixXd c = Eigen::MatrixXd::Zero(psi_, outputs_);
  if (way_ == FactorWay::kTriangle) {
    c = upper_part(scaled_triangle_).solve(rotated_targets_);
    return scale_.asDiagonal() * c;
  }
  if (rank_ == 0) return c;
  const Eigen::MatrixXd& r = basis_qr_->r();
  const Eigen::MatrixXd chosen = r.topLeftCorner(rank_, rank_)
                                     .triangularView<Eigen::Upper>()
                                     .solve(r.topRightCorner(rank_, outputs_));
  for (Index i = 0; i < rank_; ++i) {
    const Index column = basis_[static_cast<std::size_t>(i)];
    c.row(column) = scale_(column) * chosen.row(i);
  }
  return c;
}

Eigen::MatrixXd FeatureFactor::least_norm(const Eigen::MatrixXd& c) const {
  if (null_space_.cols() == 0) return c;
  const Vector root = gauge_weights(samples_->dimension()).cwiseSqrt();
  const Eigen::MatrixXd weighted = root.asDiagonal() * null_space_;
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(weighted);
  return c - null_space_ * qr.solve(Eigen::MatrixXd(root.asDiagonal() * c));
}

Eigen::MatrixXd FeatureFactor::normal_solve(const Eigen::MatrixXd& x) const {
  Eigen::MatrixXd y = scale_.asDiagonal() * x;
  if (way_ == FactorWay::kCholesky) {
    cholesky_->solve_in_place(y);
    return scale_.asDiagonal() * y;
  }
  if (way_ == FactorWay::kTriangle) {
    const auto upper = upper_part(scaled_triangle_);
    upper.transpose().solveInPlace(y);
    upper.solveInPlace(y);
    return scale_.asDiagonal() * y;
  }
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(psi_, x.cols());
  if (rank_ == 0) return result;
  Eigen::MatrixXd chosen(rank_, x.cols());
  for (Index i = 0; i < rank_; ++i)
    chosen.row(i) = y.row(basis_[static_cast<std::size_t>(i)]);
  const Eigen::MatrixXd r = basis_qr_->r().topLeftCorner(rank_, rank_);
  upper_part(r).transpose().solveInPlace(chosen);
  upper_part(r).solveInPlace(chosen);
  for (Index i = 0; i < rank_; ++i) {
    const Index column = basis_[static_cast<std::size_t>(i)];
    result.row(column) = scale_(column) * chosen.row(i);
  }
  return result;
}

Eigen::VectorXd FeatureFactor::normal_apply(const Eigen::VectorXd& x) const {
  if (gram_.rows() > 0) return gram_ * x;
  const auto upper = upper_part(triangle_);
  return upper.transpose() * Eigen::VectorXd(upper * x);
}

FeatureFactor::Leverage FeatureFactor::leverage(const VectorRef& h) const {
  Eigen::MatrixXd y = scale_.cwiseProduct(h);
  const double length = y.norm();
  if (length == 0) return {0, 0};
  if (way_ == FactorWay::kCholesky) {
    cholesky_->solve_lower_in_place(y);
    return {y.squaredNorm(), 0};
  }
  if (way_ == FactorWay::kTriangle) {
    upper_part(scaled_triangle_).transpose().solveInPlace(y);
    return {y.squaredNorm(), 0};
  }
  const Eigen::VectorXd inside = range_.transpose() * y.col(0);
  const double residual = (y.col(0) - range_ * inside).norm() / length;
  return {inside.cwiseQuotient(singular_values_.head(rank_)).squaredNorm(), residual};
}

}  // namespace attnlab::mhla

#include "mhla/singular_values.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/simd.h"
#include "mhla/inner_product.h"

namespace attnlab::mhla {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr int kMostSweeps = 40;
constexpr double kWorkPerStep = 2e6;

void rotate(double* a, double* b, Index size, double c, double s) {
  using simd::F64x2;
  const F64x2 cosine = simd::splat(c), sine = simd::splat(s);
  Index i = 0;
  for (; i + 2 <= size; i += 2) {
    const F64x2 x = simd::load<F64x2>(a + i), y = simd::load<F64x2>(b + i);
    simd::store(a + i, cosine * x - sine * y);
    simd::store(b + i, sine * x + cosine * y);
  }
  for (; i < size; ++i) {
    const double x = a[i], y = b[i];
    a[i] = c * x - s * y;
    b[i] = s * x + c * y;
  }
}

}  // namespace

SingularValues::SingularValues(Eigen::MatrixXd matrix)
    : a_(std::move(matrix)), order_(static_cast<std::size_t>(a_.cols())) {
  std::iota(order_.begin(), order_.end(), Index{0});
  const double largest = a_.size() == 0 ? 0.0 : a_.cwiseAbs().maxCoeff();
  if (largest > 0) exponent_ = std::ilogb(largest);
  a_ = a_.unaryExpr([this](double entry) { return std::ldexp(entry, -exponent_); }).eval();
  norms_ = a_.colwise().squaredNorm().transpose();
}

bool SingularValues::step() {
  if (stage_ == Stage::kPivotedQr) {
    if (step_pivoted_qr()) stage_ = Stage::kRotations;
  } else if (stage_ == Stage::kRotations && step_rotations()) {
    finish();
    stage_ = Stage::kDone;
  }
  return stage_ == Stage::kDone;
}

double SingularValues::progress() const {
  const auto columns = static_cast<double>(std::max<Index>(1, a_.cols()));
  if (stage_ == Stage::kDone) return 1;
  if (stage_ == Stage::kPivotedQr) return 0.15 * static_cast<double>(column_) / columns;
  // Five to eight sweeps are usual.
  const double sweep = sweep_ + static_cast<double>(first_) / columns;
  return 0.15 + 0.85 * sweep / (sweep + 2);
}

bool SingularValues::step_pivoted_qr() {
  const Index rows = a_.rows(), columns = a_.cols();
  const Index most = std::min(rows, columns);
  for (double work = 0; work < kWorkPerStep && column_ < most;) {
    const Index j = column_;
    // Norms are computed anew: downdating them would cost the accuracy that is wanted here.
    Index pivot = j;
    for (Index c = j; c < columns; ++c) {
      norms_(c) = a_.col(c).tail(rows - j).squaredNorm();
      if (norms_(c) > norms_(pivot)) pivot = c;
    }
    const double floor =
        kEpsilon * static_cast<double>(rows + columns) * (j == 0 ? 0.0 : std::fabs(a_(0, 0)));
    const double norm = std::sqrt(norms_(pivot));
    if (!(norm > floor)) break;
    if (pivot != j) {
      a_.col(j).swap(a_.col(pivot));
      std::swap(norms_(j), norms_(pivot));
      std::swap(order_[static_cast<std::size_t>(j)], order_[static_cast<std::size_t>(pivot)]);
    }
    const double alpha = a_(j, j);
    const double beta = alpha > 0 ? -norm : norm;
    const double tau = (beta - alpha) / beta;
    auto v = a_.col(j).tail(rows - j - 1);
    v /= alpha - beta;
    a_(j, j) = beta;
    for (Index c = j + 1; c < columns; ++c) {
      auto target = a_.col(c).tail(rows - j - 1);
      const double w = tau * (a_(j, c) + v.dot(target));
      a_(j, c) -= w;
      target -= w * v;
    }
    v.setZero();
    ++column_;
    work += 3.0 * static_cast<double>((rows - j) * (columns - j));
  }
  const bool ended = column_ == most || [&] {
    const double floor =
        kEpsilon * static_cast<double>(rows + columns) * (column_ == 0 ? 0.0 : std::fabs(a_(0, 0)));
    double largest = 0;
    for (Index c = column_; c < columns; ++c)
      largest = std::max(largest, a_.col(c).tail(rows - column_).squaredNorm());
    return !(std::sqrt(largest) > floor);
  }();
  if (!ended) return false;
  rank_ = column_;
  // Rows of the trapezoid become the columns that are rotated: columns x rank.
  Eigen::MatrixXd lower = a_.topRows(rank_).transpose();
  a_ = std::move(lower);
  return true;
}

bool SingularValues::step_rotations() {
  const Index size = a_.rows();
  const double tolerance = kEpsilon * std::sqrt(static_cast<double>(size));
  for (double work = 0; work < kWorkPerStep; work += 3.0 * static_cast<double>(size)) {
    if (second_ >= rank_) {
      ++first_;
      second_ = first_ + 1;
      if (second_ >= rank_) {
        const bool settled = !rotated_;
        first_ = 0;
        second_ = 1;
        rotated_ = false;
        ++sweep_;
        if (settled || sweep_ == kMostSweeps || rank_ < 2) return true;
      }
      continue;
    }
    double* a = a_.col(first_).data();
    double* b = a_.col(second_).data();
    const double aa = inner_product(a, a, size), bb = inner_product(b, b, size),
                 ab = inner_product(a, b, size);
    ++second_;
    if (std::fabs(ab) <= tolerance * std::sqrt(aa) * std::sqrt(bb)) continue;
    rotated_ = true;
    const double zeta = (bb - aa) / (2 * ab);
    const double t = (zeta >= 0 ? 1.0 : -1.0) / (std::fabs(zeta) + std::sqrt(1 + zeta * zeta));
    const double c = 1 / std::sqrt(1 + t * t);
    rotate(a, b, size, c, c * t);
    work += 3.0 * static_cast<double>(size);
  }
  return false;
}

void SingularValues::finish() {
  const Index columns = a_.rows();
  Vector lengths(rank_);
  for (Index c = 0; c < rank_; ++c)
    lengths(c) = a_.col(c).norm();
  std::vector<Index> by_length(static_cast<std::size_t>(rank_));
  std::iota(by_length.begin(), by_length.end(), Index{0});
  std::stable_sort(by_length.begin(), by_length.end(),
                   [&](Index left, Index right) { return lengths(left) > lengths(right); });
  values_ = Vector::Zero(columns);
  Eigen::MatrixXd rows(columns, rank_);
  for (Index c = 0; c < rank_; ++c) {
    const Index from = by_length[static_cast<std::size_t>(c)];
    values_(c) = std::ldexp(lengths(from), exponent_);
    rows.col(c) = a_.col(from) / lengths(from);
  }
  vectors_.resize(columns, columns);
  Eigen::MatrixXd basis(columns, columns);
  basis.leftCols(rank_) = rows;
  if (rank_ < columns) {
    const Eigen::HouseholderQR<Eigen::MatrixXd> qr(rows);
    Eigen::MatrixXd rest = Eigen::MatrixXd::Zero(columns, columns - rank_);
    rest.bottomRows(columns - rank_).setIdentity();
    basis.rightCols(columns - rank_) = qr.householderQ() * rest;
  }
  for (Index i = 0; i < columns; ++i)
    vectors_.row(order_[static_cast<std::size_t>(i)]) = basis.row(i);
}

}  // namespace attnlab::mhla

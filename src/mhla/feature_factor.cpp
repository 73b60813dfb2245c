#include "mhla/feature_factor.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/error.h"
#include "mhla/parameters.h"

namespace attnlab::mhla {
namespace {

constexpr double kWorkPerStep = 1.2e7;  // multiply-adds
constexpr Index kBlockRows = 128;
constexpr double kRoundingOfSums = 1e-14;

// Read-only, which Eigen's transposed triangular views want.
const Eigen::TriangularView<const Eigen::MatrixXd, Eigen::Upper> upper_part(
    const Eigen::MatrixXd& r) {
  return r.triangularView<Eigen::Upper>();
}

}  // namespace

FeatureFactor::FeatureFactor(std::shared_ptr<const Samples> samples,
                             std::shared_ptr<const Matrix> targets,
                             std::shared_ptr<const Vector> weights, const FactorOptions& options)
    : samples_(std::move(samples)),
      targets_(std::move(targets)),
      weights_(std::move(weights)),
      options_(options),
      psi_(feature_count(samples_->dimension())),
      outputs_(targets_->cols()),
      total_weight_(weights_->size() == 0 ? static_cast<double>(samples_->count())
                                          : weights_->sum()) {
  // Fewer samples than features: singular for certain.
  if (options_.try_cholesky && !options_.force_singular_values &&
      (samples_->count() >= psi_ || options_.ridge > 0))
    plan_cholesky();
  else
    plan_qr();
}

double FeatureFactor::bytes(Index d, Index outputs) {
  const auto psi = static_cast<double>(feature_count(d));
  // Gram or R, their scaled copy, one work copy.
  return FeatureMoments::bytes(d, outputs) + 8 * 3 * psi * psi;
}

void FeatureFactor::add_stage(double weight, Stage stage) {
  stages_.push_back({weight, std::move(stage)});
  planned_ += weight;
}

bool FeatureFactor::step() {
  if (stages_.empty()) return true;
  // A stage may plan further ones while it runs.
  const Stage current = stages_.front().step;
  if (current()) {
    done_ += stages_.front().weight;
    stages_.pop_front();
  }
  const double part = static_cast<double>(next_sample_) / static_cast<double>(samples_->count());
  const double inside = !stages_.empty() && part < 1 ? part * stages_.front().weight : 0.0;
  const double now = base_ + (1 - base_) * (done_ + inside) / planned_;
  progress_ = stages_.empty() ? 1.0 : std::max(progress_, std::min(0.999, now));
  return stages_.empty();
}

void FeatureFactor::plan_cholesky() {
  const Index d = samples_->dimension();
  const auto psi = static_cast<double>(psi_);
  moments_ = std::make_unique<FeatureMoments>(d, outputs_);
  add_stage(static_cast<double>(samples_->count()) * FeatureMoments::cost(d, outputs_),
            [this] { return add_moments(); });
  add_stage(psi * psi, [this] {
    scale_gram();
    return true;
  });
  add_stage(psi * psi * psi / 3, [this] {
    if (!cholesky_->step()) return false;
    way_ = FactorWay::kCholesky;
    if (cholesky_->failed()) {
      plan_qr();
      return true;
    }
    // Scaled condition number from the extreme eigenvalues of the scaled Gram matrix.
    lanczos_ = std::make_unique<LargestEigenvalue>(psi_, [this](const Eigen::VectorXd& x) {
      return Eigen::VectorXd(scale_.cwiseProduct(normal_apply(scale_.cwiseProduct(x))));
    });
    add_stage(psi_ > 300 ? 5e7 : 1e6, [this] {
      if (!lanczos_->step()) return false;
      largest_ = lanczos_->value();
      lanczos_ = std::make_unique<LargestEigenvalue>(psi_, [this](const Eigen::VectorXd& x) {
        Eigen::MatrixXd y = x;
        cholesky_->solve_in_place(y);
        return Eigen::VectorXd(y.col(0));
      });
      add_stage(psi_ > 300 ? 5e7 : 1e6, [this] {
        if (!lanczos_->step()) return false;
        condition_ = std::sqrt(largest_ * lanczos_->value());
        rank_ = psi_;
        null_space_.resize(psi_, 0);
        if (!(condition_ <= options_.condition_limit)) plan_qr();
        return true;
      });
      return true;
    });
    return true;
  });
}

bool FeatureFactor::add_moments() {
  const Index count = samples_->count();
  const auto budget =
      static_cast<Index>(kWorkPerStep / FeatureMoments::cost(samples_->dimension(), outputs_));
  const Index now = std::min(std::max<Index>(16, budget), count - next_sample_);
  moments_->add(*samples_, *targets_, *weights_, next_sample_, now);
  next_sample_ += now;
  return next_sample_ == count;
}

void FeatureFactor::set_scale(const Vector& norms) {
  const Index d = samples_->dimension();
  const double largest = norms.size() == 0 ? 0.0 : norms.maxCoeff();
  scale_.resize(psi_);
  for (Index c = 0; c < psi_; ++c) {
    const FeatureName name = feature_name(d, c);
    // What G_jk z_l would be for coordinates j and k of their size. Where G_jk is zero but for the
    // rounding of its sum, a column of length one made of it would be noise taken for data.
    const double natural = std::sqrt(norms(pair_index(d, name.j, name.j) * d + name.l) *
                                     norms(pair_index(d, name.k, name.k) * d + name.l));
    double size = norms(c);
    if (!(size > kRoundingOfSums * natural)) size = natural;
    if (!(size > 0)) size = largest > 0 ? largest : 1.0;
    scale_(c) = 1 / size;
  }
}

void FeatureFactor::scale_gram() {
  gram_ = moments_->gram();
  cross_ = moments_->cross();
  moments_.reset();
  if (options_.ridge > 0)
    gram_.diagonal() += options_.ridge * total_weight_ * gauge_weights(samples_->dimension());
  set_scale(gram_.diagonal().cwiseMax(0.0).cwiseSqrt());
  cholesky_ = std::make_unique<BlockedCholesky>(scale_.asDiagonal() * gram_ * scale_.asDiagonal());
}

void FeatureFactor::plan_qr() {
  cholesky_.reset();
  lanczos_.reset();
  gram_.resize(0, 0);
  next_sample_ = 0;
  // What was done for Cholesky was in vain: progress goes on from where it stands.
  base_ = progress_;
  done_ = planned_ = 0;
  if (!stages_.empty()) stages_.front().weight = 0;
  qr_ = std::make_unique<TallQr>(psi_ + outputs_);
  const auto psi = static_cast<double>(psi_);
  add_stage(2 * static_cast<double>(samples_->count()) * psi * psi,
            [this] { return absorb_block(); });
  add_stage(psi * psi, [this] {
    triangle_ = qr_->r().topLeftCorner(psi_, psi_);
    rotated_targets_ = qr_->r().topRightCorner(psi_, outputs_);
    qr_.reset();
    set_scale(triangle_.colwise().norm().transpose());
    scaled_triangle_ = triangle_ * scale_.asDiagonal();
    plan_triangle_checks();
    return true;
  });
}

bool FeatureFactor::absorb_block() {
  const Index d = samples_->dimension();
  const Index count = samples_->count();
  const Index ridge_rows = options_.ridge > 0 ? psi_ : 0;
  double work = 0;
  while (work < kWorkPerStep) {
    if (!in_block_) {
      const Index rows = std::min(kBlockRows, count + ridge_rows - next_sample_);
      if (rows <= 0) return true;
      Eigen::MatrixXd& block = qr_->begin(rows);
      Vector row(psi_);
      const Vector gauge = ridge_rows > 0 ? gauge_weights(d) : Vector();
      for (Index r = 0; r < rows; ++r) {
        const Index i = next_sample_ + r;
        if (i >= count) {
          block.row(r).setZero();
          block(r, i - count) = std::sqrt(options_.ridge * total_weight_ * gauge(i - count));
          continue;
        }
        const double weight = weights_->size() == 0 ? 1.0 : std::sqrt((*weights_)(i));
        write_features(samples_->grams.row(i).data(), samples_->queries.row(i).data(), d, weight,
                       row.data());
        block.row(r).head(psi_) = row.transpose();
        block.row(r).tail(outputs_) = weight * targets_->row(i);
      }
      next_sample_ += rows;
      in_block_ = true;
      work += static_cast<double>(rows * psi_);
    }
    if (qr_->step()) in_block_ = false;
    work += 2.0 * kBlockRows * 32.0 * static_cast<double>(psi_);
  }
  return !in_block_ && next_sample_ >= count + ridge_rows;
}

void FeatureFactor::plan_triangle_checks() {
  way_ = FactorWay::kTriangle;
  const double smallest = scaled_triangle_.diagonal().cwiseAbs().minCoeff();
  if (options_.force_singular_values ||
      !(smallest > std::numeric_limits<double>::epsilon() * static_cast<double>(psi_))) {
    plan_singular_values();
    return;
  }
  lanczos_ = std::make_unique<LargestEigenvalue>(psi_, [this](const Eigen::VectorXd& x) {
    const auto upper = upper_part(scaled_triangle_);
    return Eigen::VectorXd(upper.transpose() * Eigen::VectorXd(upper * x));
  });
  add_stage(1e6, [this] {
    if (!lanczos_->step()) return false;
    largest_ = lanczos_->value();
    lanczos_ = std::make_unique<LargestEigenvalue>(psi_, [this](const Eigen::VectorXd& x) {
      const auto upper = upper_part(scaled_triangle_);
      Eigen::VectorXd y = upper.transpose().solve(x);
      upper.solveInPlace(y);
      return y;
    });
    add_stage(1e6, [this] {
      if (!lanczos_->step()) return false;
      condition_ = std::sqrt(largest_ * lanczos_->value());
      rank_ = psi_;
      null_space_.resize(psi_, 0);
      if (!(condition_ * options_.rank_tolerance <= 0.1)) plan_singular_values();
      return true;
    });
    return true;
  });
}

void FeatureFactor::plan_singular_values() {
  const auto psi = static_cast<double>(psi_);
  singular_ = std::make_unique<SingularValues>(scaled_triangle_);
  add_stage(20 * psi * psi * psi, [this] {
    if (!singular_->step()) return false;
    choose_basis();
    return true;
  });
}

void FeatureFactor::choose_basis() {
  singular_values_ = singular_->values();
  const double floor = options_.rank_tolerance * (psi_ > 0 ? singular_values_(0) : 0.0);
  rank_ = 0;
  while (rank_ < psi_ && singular_values_(rank_) > floor)
    ++rank_;
  condition_ = rank_ > 0 ? singular_values_(0) / singular_values_(rank_ - 1) : 1.0;
  if (rank_ == psi_) {
    null_space_.resize(psi_, 0);
    singular_.reset();
    return;  // the triangle serves
  }
  way_ = FactorWay::kBasis;
  range_ = singular_->vectors().leftCols(rank_);
  null_space_ = scale_.asDiagonal() * singular_->vectors().rightCols(psi_ - rank_);
  basis_ = singular_->order();
  basis_.resize(static_cast<std::size_t>(rank_));
  singular_.reset();
  if (rank_ == 0) return;
  basis_qr_ = std::make_unique<TallQr>(rank_ + outputs_);
  Eigen::MatrixXd& block = basis_qr_->begin(psi_);
  for (Index c = 0; c < rank_; ++c)
    block.col(c) = scaled_triangle_.col(basis_[static_cast<std::size_t>(c)]);
  block.rightCols(outputs_) = rotated_targets_;
  const auto rank = static_cast<double>(rank_);
  add_stage(2 * rank * rank * static_cast<double>(psi_), [this] { return basis_qr_->step(); });
}

}  // namespace attnlab::mhla

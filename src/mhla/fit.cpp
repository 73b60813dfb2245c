#include "mhla/fit.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/require.h"
#include "mhla/heads.h"
#include "mhla/inner_product.h"
#include "mhla/parameters.h"
#include "mhla/sample_weights.h"

namespace attnlab::mhla {
namespace {

constexpr double kWorkPerStep = 1e7;
constexpr int kMostRefinements = 4;
// A solution may be had to the last digit that the data carry; the certificate, which says what can
// be trusted, is stricter.
constexpr double kRankTolerance = 1e-13;
constexpr double kUncertainCondition = 1e8;
constexpr Index kLargestHeadDimension = 32;
constexpr double kLargestTarget = 1e140;

bool are_equal(const Matrix& targets) {
  return (targets.rowwise() - targets.row(0)).isZero(0);
}

}  // namespace

Fit::Fit(Samples samples, Matrix targets, FitOptions options) : options_(std::move(options)) {
  const Index count = samples.count();
  const Index d = samples.dimension();
  if (count < 1 || d < 1)
    fail(ErrorCode::kMissing, "prompts", "is empty; at least one prompt is needed");
  if (targets.rows() != count)
    fail(ErrorCode::kShape, "targets",
         "has " + std::to_string(targets.rows()) + " rows; " + std::to_string(count) +
             " samples are given");
  if (targets.cols() < 1)
    fail(ErrorCode::kShape, "targets", "has no columns; at least one output is needed");
  require_finite(targets, "targets");
  if (targets.cwiseAbs().maxCoeff() > kLargestTarget)
    fail(ErrorCode::kOutOfRange, "targets", "has an entry beyond " + show(kLargestTarget));
  require_scale(samples, "prompts");
  require_weights(options_.weights, count);
  require_range(options_.ridge, 0, 1e100, "ridge");
  require_range(options_.head_tolerance, 0, 1, "headTolerance");

  const FitMethod method = chosen_method(options_.method, count, d);
  require_memory(fit_bytes(count, d, targets.cols(), method), options_.memory_limit, "prompts");

  samples_ = std::make_shared<const Samples>(std::move(samples));
  targets_ = std::make_shared<const Matrix>(std::move(targets));
  weights_ = std::make_shared<const Vector>(scaled_weights(options_.weights));
  result_.dimension = feature_count(d);
  result_.target_variance = target_variance(*targets_, *weights_);
  if (result_.target_variance == 0)
    result_.warnings.push_back(are_equal(*targets_)
                                   ? "the targets are constant"
                                   : "the targets differ by less than squares of doubles can tell");

  if (method == FitMethod::kDual) {
    stage_ = Stage::kDual;
    Vector diagonal(count);
    for (Index i = 0; i < count; ++i) {
      diagonal(i) = kernel(*samples_, i, *samples_, i);
      if (weights_->size() > 0) diagonal(i) *= (*weights_)(i);
    }
    if (options_.ridge > 0) {
      const double total = weights_->size() == 0 ? static_cast<double>(count) : weights_->sum();
      diagonal.array() += options_.ridge * total;
    }
    kernel_ = std::make_unique<PivotedCholesky>(std::move(diagonal));
    return;
  }
  FactorOptions factor;
  factor.rank_tolerance = kRankTolerance;
  factor.ridge = options_.ridge;
  factor.try_cholesky = method == FitMethod::kAuto || method == FitMethod::kCholesky;
  factor.force_singular_values = method == FitMethod::kSvd;
  if (method == FitMethod::kCholesky) factor.condition_limit = 1e7;
  factor_ = std::make_unique<FeatureFactor>(samples_, targets_, weights_, factor);
}

bool Fit::step() {
  advance();
  progress_ = std::max(progress_, estimate_progress());
  return stage_ == Stage::kDone;
}

void Fit::advance() {
  switch (stage_) {
    case Stage::kFactor:
      if (factor_->step()) finish_factor();
      break;
    case Stage::kDual:
      if (step_dual()) finish_dual();
      break;
    case Stage::kResiduals:
      if (step_residuals()) end_pass();
      break;
    case Stage::kHeads:
      if (!w_values_ || w_values_->step()) {
        if (w_values_) {
          HeadSplit split =
              split_heads(*w_values_, w_, samples_->dimension(), options_.head_tolerance);
          result_.heads = std::move(split.heads);
          result_.singular_values = std::move(split.singular_values);
        }
        stage_ = Stage::kDone;
      }
      break;
    case Stage::kDone:
      break;
  }
}

double Fit::estimate_progress() const {
  const double part = static_cast<double>(next_sample_) / static_cast<double>(samples_->count());
  switch (stage_) {
    case Stage::kFactor:
      return 0.85 * factor_->progress();
    case Stage::kDual:
      return 0.85 * static_cast<double>(kernel_->rank()) / static_cast<double>(samples_->count());
    case Stage::kResiduals:
      // Each pass is taken to be half of what is left.
      return 0.95 - 0.1 * (1 - part / 2) / static_cast<double>(1 << refinements_);
    case Stage::kHeads:
      return 0.95 + (w_values_ ? 0.05 * w_values_->progress() : 0.0);
    case Stage::kDone:
      break;
  }
  return 1;
}

void Fit::finish_factor() {
  result_.rank = factor_->rank();
  result_.condition = factor_->condition();
  switch (factor_->way()) {
    case FactorWay::kCholesky:
      result_.method = "cholesky";
      break;
    case FactorWay::kTriangle:
      result_.method = options_.method == FitMethod::kSvd ? "svd" : "tsqr";
      break;
    case FactorWay::kBasis:
      result_.method = "svd";
      break;
  }
  if (options_.method != FitMethod::kAuto && result_.method != fit_method_name(options_.method))
    result_.warnings.push_back("method '" + std::string(fit_method_name(options_.method)) +
                               "' cannot serve data of this condition; '" + result_.method +
                               "' was taken");
  if (result_.condition > kUncertainCondition)
    result_.warnings.push_back("the scaled condition number is " + show(result_.condition) +
                               ": rounding alone moves the coefficients by that times 2^-52");
  c_ = factor_->solution();
  refine_ = factor_->way() == FactorWay::kCholesky;
  if (!refine_) take_least_norm();
  gradient_ = Eigen::MatrixXd::Zero(c_.rows(), c_.cols());
  stage_ = Stage::kResiduals;
}

bool Fit::step_dual() {
  const Index pivot = kernel_->next();
  if (pivot < 0) return true;
  Vector column(samples_->count());
  const bool weighted = weights_->size() > 0;
  for (Index i = 0; i < samples_->count(); ++i) {
    column(i) = kernel(*samples_, i, *samples_, pivot);
    if (weighted) column(i) *= std::sqrt((*weights_)(i) * (*weights_)(pivot));
  }
  if (options_.ridge > 0)
    column(pivot) +=
        options_.ridge * (weighted ? weights_->sum() : static_cast<double>(samples_->count()));
  kernel_->add(column);
  return false;
}

void Fit::finish_dual() {
  const Index d = samples_->dimension();
  result_.rank = options_.ridge > 0 ? result_.dimension : kernel_->rank();
  result_.method = "dual";
  if (kernel_->rank() > 0) {
    const Eigen::VectorXd pivots = kernel_->pivot_factor().diagonal();
    result_.condition = pivots.maxCoeff() / pivots.minCoeff();
  } else {
    result_.condition = 1;
  }
  c_ = Eigen::MatrixXd::Zero(feature_count(d), targets_->cols());
  // The first pass over the data, with C = 0, hands the targets themselves to end_pass.
  gradient_ = Eigen::MatrixXd::Zero(samples_->count(), targets_->cols());
  refine_ = true;
  stage_ = Stage::kResiduals;
}

bool Fit::step_residuals() {
  const Index d = samples_->dimension();
  const Index psi = result_.dimension;
  Vector h(psi);
  const double cost = 2.0 * static_cast<double>(psi) * static_cast<double>(targets_->cols() + 1);
  for (double work = 0; work < kWorkPerStep && next_sample_ < samples_->count(); work += cost) {
    const Index i = next_sample_++;
    const double weight = weights_->size() == 0 ? 1.0 : (*weights_)(i);
    write_features(samples_->grams.row(i).data(), samples_->queries.row(i).data(), d, 1, h.data());
    for (Index a = 0; a < targets_->cols(); ++a) {
      const double residual = (*targets_)(i, a) - inner_product(c_.col(a).data(), h.data(), psi);
      squared_error_ += weight * residual * residual;
      if (kernel_) {
        gradient_(i, a) = std::sqrt(weight) * residual;
      } else if (refine_) {
        add_scaled(weight * residual, h.data(), gradient_.col(a).data(), psi);
      }
    }
  }
  return next_sample_ == samples_->count();
}

void Fit::end_pass() {
  const Index d = samples_->dimension();
  const double total =
      weights_->size() == 0 ? static_cast<double>(samples_->count()) : weights_->sum();
  const Vector gauge = gauge_weights(d);
  next_sample_ = 0;
  result_.training_error = squared_error_ / total;
  squared_error_ = 0;
  if (!refine_) {
    result_.coefficients = c_.transpose();
    start_heads();
    return;
  }
  Eigen::MatrixXd correction;
  Vector scale;
  if (kernel_) {
    // With a ridge the solve is exact only for K + lambda I, so residuals of K do not refine it.
    refine_ = !(options_.ridge > 0);
    const Eigen::MatrixXd alpha = kernel_->solve(gradient_);
    correction = Eigen::MatrixXd::Zero(c_.rows(), c_.cols());
    scale = gauge.cwiseSqrt();
    Vector h(c_.rows());
    for (Index p = 0; p < kernel_->rank(); ++p) {
      const Index i = kernel_->pivots()[static_cast<std::size_t>(p)];
      const double root = weights_->size() == 0 ? 1.0 : std::sqrt((*weights_)(i));
      write_features(samples_->grams.row(i).data(), samples_->queries.row(i).data(), d, root,
                     h.data());
      for (Index a = 0; a < c_.cols(); ++a)
        add_scaled(alpha(p, a), h.data(), correction.col(a).data(), h.size());
    }
    correction = (gauge.cwiseInverse().asDiagonal() * correction).eval();
  } else {
    if (options_.ridge > 0) gradient_ -= options_.ridge * total * (gauge.asDiagonal() * c_);
    correction = factor_->normal_solve(gradient_);
    scale = factor_->scale().cwiseInverse();
    gradient_.setZero();
  }
  const double size = (scale.asDiagonal() * c_).norm();
  const double change = (scale.asDiagonal() * correction).norm();
  // Corrections shrink by about eps * condition^2 each time, until they are rounding.
  if (refinements_ == 0 || size == 0 || change < last_correction_ / 2) c_ += correction;
  ++refinements_;
  if (refinements_ >= kMostRefinements || !(change > 1e-16 * size) ||
      (refinements_ > 1 && size > 0 && !(change < last_correction_ / 2)))
    refine_ = false;
  last_correction_ = size > 0 ? change : 1e300;
  if (!refine_) take_least_norm();
}

void Fit::take_least_norm() {
  if (options_.ridge > 0 || result_.rank == result_.dimension) return;
  result_.warnings.push_back(
      "rank " + std::to_string(result_.rank) + " of " + std::to_string(result_.dimension) + ": " +
      std::to_string(result_.dimension - result_.rank) +
      " directions of the coefficients are not determined by the data; among all minimisers this "
      "is the one of least |W|_F");
  if (!kernel_) c_ = factor_->least_norm(c_);  // the kernel form has it by construction
}

void Fit::start_heads() {
  const Index d = samples_->dimension();
  stage_ = Stage::kHeads;
  if (!options_.heads) return;
  if (d > kLargestHeadDimension) {
    result_.warnings.push_back("no heads: W has " + std::to_string(targets_->cols() * d) + " x " +
                               std::to_string(d * d) +
                               " entries; heads are split off for dimensions up to " +
                               std::to_string(kLargestHeadDimension));
    return;
  }
  w_ = symmetric_w(result_.coefficients, d);
  w_values_ = std::make_unique<SingularValues>(Eigen::MatrixXd(w_));
}

FitResult fit(Samples samples, Matrix targets, FitOptions options) {
  Fit run(std::move(samples), std::move(targets), std::move(options));
  while (!run.step()) {
  }
  return run.result();
}

}  // namespace attnlab::mhla

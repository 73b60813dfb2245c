#include "mhla/certificate.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/require.h"
#include "mhla/inner_product.h"
#include "mhla/sample_weights.h"

namespace attnlab::mhla {
namespace {

// Squaring the features in a Gram matrix costs eps * condition^2 of the smallest eigenvalue.
constexpr double kGramCondition = 300;
constexpr Index kLargestPrimal = 600;  // psi; with fewer samples than features above it: kernel
constexpr double kDetermined = 1e-8;   // residual in scaled coordinates, primal
constexpr double kDeterminedKernel = 1e-12;  // relative residual of the kernel, a square
constexpr double kModularWork = 4e9;

}  // namespace

Certificate::Certificate(Samples samples, CertificateOptions options)
    : options_(std::move(options)) {
  const Index count = samples.count();
  const Index d = samples.dimension();
  if (count < 1 || d < 1)
    fail(ErrorCode::kMissing, "prompts", "is empty; at least one prompt is needed");
  require_weights(options_.weights, count);
  result_.dimension = feature_count(d);
  const bool kernel = count < result_.dimension && result_.dimension > kLargestPrimal;
  const auto n = static_cast<double>(count);
  const double samples_bytes = 8 * n * static_cast<double>(pair_count(d) + d);
  require_memory(samples_bytes + (kernel ? 24 * n * n : FeatureFactor::bytes(d, 0)),
                 options_.memory_limit, "prompts");
  if (kernel && options_.null_space) {
    const auto psi = static_cast<double>(result_.dimension);
    require_memory(8 * psi * (psi + n), options_.memory_limit, "returnNullSpace");
  }
  require_scale(samples, "prompts");
  if (count < result_.dimension)
    result_.warnings.push_back(std::to_string(count) + " samples cannot determine " +
                               std::to_string(result_.dimension) + " coefficients");
  if (const Index lost = lost_column(samples); lost >= 0)
    result_.warnings.push_back(
        "column " + std::to_string(lost + 1) +
        " of the tokens is so small that its products leave the range of a double; scale it up");
  samples_ = std::make_shared<const Samples>(std::move(samples));
  weights_ = std::make_shared<const Vector>(scaled_weights(options_.weights));
  total_weight_ = weights_->size() == 0 ? n : weights_->sum();
  if (kernel)
    plan_kernel();
  else
    plan_primal();
}

void Certificate::plan_primal() {
  stage_ = Stage::kFactor;
  FactorOptions options;
  options.condition_limit = kGramCondition;
  factor_ = std::make_unique<FeatureFactor>(
      samples_, std::make_shared<const Matrix>(samples_->count(), 0), weights_, options);
}

void Certificate::plan_kernel() {
  stage_ = Stage::kKernel;
  result_.method = "kernel";
  Vector diagonal(samples_->count());
  for (Index i = 0; i < samples_->count(); ++i) {
    const double weight = weights_->size() == 0 ? 1.0 : (*weights_)(i);
    diagonal(i) = weight * kernel(*samples_, i, *samples_, i);
  }
  kernel_ = std::make_unique<PivotedCholesky>(std::move(diagonal), kDeterminedKernel);
}

bool Certificate::step() {
  switch (stage_) {
    case Stage::kFactor: {
      if (!factor_->step()) break;
      result_.rank = factor_->rank();
      result_.condition = factor_->condition();
      result_.method = factor_->way() == FactorWay::kCholesky ? "gram" : "singular-values";
      take_null_space();
      lanczos_ = std::make_unique<LargestEigenvalue>(
          result_.dimension, [this](const Eigen::VectorXd& x) { return factor_->normal_apply(x); });
      stage_ = Stage::kLargest;
      break;
    }
    case Stage::kKernel: {
      const Index pivot = kernel_->next();
      if (pivot >= 0) {
        Vector column(samples_->count());
        for (Index i = 0; i < samples_->count(); ++i) {
          column(i) = kernel(*samples_, i, *samples_, pivot);
          if (weights_->size() > 0) column(i) *= std::sqrt((*weights_)(i) * (*weights_)(pivot));
        }
        kernel_->add(column);
        break;
      }
      result_.rank = kernel_->rank();
      result_.condition = 1;
      if (result_.rank > 0) {
        const Eigen::VectorXd pivots = kernel_->pivot_factor().diagonal();
        result_.condition = pivots.maxCoeff() / pivots.minCoeff();
        const Eigen::HouseholderQR<Eigen::MatrixXd> qr(kernel_->factor());
        kernel_triangle_ = qr.matrixQR().topRows(result_.rank).triangularView<Eigen::Upper>();
      }
      // Lambda's eigenvalues are those of <H, H'> sqrt(w w') / sum w: pairs counted once here.
      lanczos_ =
          std::make_unique<LargestEigenvalue>(samples_->count(), [this](const Eigen::VectorXd& x) {
            const auto root = [this](Index i) {
              return weights_->size() == 0 ? 1.0 : std::sqrt((*weights_)(i));
            };
            Eigen::VectorXd feature_sum = Eigen::VectorXd::Zero(result_.dimension);
            Vector h(result_.dimension);
            for (Index i = 0; i < samples_->count(); ++i) {
              write_features(samples_->grams.row(i).data(), samples_->queries.row(i).data(),
                             samples_->dimension(), 1, h.data());
              add_scaled(root(i) * x(i), h.data(), feature_sum.data(), h.size());
            }
            Eigen::VectorXd y(samples_->count());
            for (Index i = 0; i < samples_->count(); ++i) {
              write_features(samples_->grams.row(i).data(), samples_->queries.row(i).data(),
                             samples_->dimension(), 1, h.data());
              y(i) = root(i) * inner_product(h.data(), feature_sum.data(), h.size());
            }
            return y;
          });
      stage_ = Stage::kLargest;
      if (options_.null_space) {
        complement_ = std::make_unique<OrthogonalComplement>(result_.dimension);
        stage_ = Stage::kComplement;
      }
      break;
    }
    case Stage::kComplement:
      if (step_complement()) stage_ = Stage::kLargest;
      break;
    case Stage::kLargest:
      if (!lanczos_->step()) break;
      result_.maximum_eigenvalue = lanczos_->value() / total_weight_;
      lanczos_.reset();
      result_.identifiable = result_.rank == result_.dimension;
      stage_ = Stage::kSmallest;
      if (!result_.identifiable) {
        result_.minimum_eigenvalue = 0;
      } else if (factor_->way() == FactorWay::kCholesky) {
        lanczos_ = std::make_unique<LargestEigenvalue>(
            result_.dimension, [this](const Eigen::VectorXd& x) {
              return Eigen::VectorXd(factor_->normal_solve(x).col(0));
            });
      } else {
        singular_ = std::make_unique<SingularValues>(factor_->triangle());
      }
      break;
    case Stage::kSmallest:
      if (lanczos_) {
        if (!lanczos_->step()) break;
        // Rounding may put it above the largest where all are the same.
        result_.minimum_eigenvalue =
            std::min(1 / lanczos_->value() / total_weight_, result_.maximum_eigenvalue);
      } else if (singular_) {
        if (!singular_->step()) break;
        const Vector& values = singular_->values();
        const double least = values(values.size() - 1);
        result_.minimum_eigenvalue = least * least / total_weight_;
        result_.maximum_eigenvalue = values(0) * values(0) / total_weight_;
      }
      stage_ = Stage::kModular;
      break;
    case Stage::kModular:
      if (step_modular()) stage_ = Stage::kDone;
      break;
    case Stage::kDone:
      break;
  }
  return stage_ == Stage::kDone;
}

bool Certificate::step_modular() {
  const auto psi = static_cast<double>(result_.dimension);
  if (!modular_) {
    const double work = psi * psi * static_cast<double>(samples_->count());
    if (!options_.exact_for_whole_numbers || work > kModularWork || weights_->size() != 0 ||
        !whole_numbers(*samples_))
      return true;
    modular_ = std::make_unique<ModularRank>(result_.dimension);
  }
  for (double work = 0;
       work < 4e6 && next_sample_ < samples_->count() && modular_->rank() < result_.dimension;
       work += psi * static_cast<double>(modular_->rank() + 1))
    modular_->add(modular_features(*samples_, next_sample_++));
  result_.proven_rank = modular_->rank();
  if (result_.proven_rank == result_.dimension && !result_.identifiable)
    result_.warnings.push_back(
        "the data are whole numbers and determine every coefficient (rank proven modulo 2^31 - 1), "
        "but too weakly for double precision");
  return next_sample_ == samples_->count() || result_.proven_rank == result_.dimension;
}

void Certificate::take_null_space() {
  const Index nullity = result_.dimension - result_.rank;
  if (nullity == 0) {
    result_.null_space.resize(result_.dimension, 0);
    return;
  }
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(factor_->null_space());
  Eigen::MatrixXd basis = Eigen::MatrixXd::Identity(result_.dimension, nullity);
  basis = qr.householderQ() * basis;
  result_.null_space = basis;
  describe_null_space();
}

void Certificate::describe_null_space() {
  for (Index f = 0; f < result_.dimension; ++f) {
    const double share = result_.null_space.row(f).squaredNorm();
    if (share > 1e-12)
      result_.open_directions.push_back(
          {f, feature_text(samples_->dimension(), f), std::min(1.0, share)});
  }
  std::stable_sort(
      result_.open_directions.begin(), result_.open_directions.end(),
      [](const OpenDirection& a, const OpenDirection& b) { return a.share > b.share; });
}

// The pivots' features span the range of Lambda.
bool Certificate::step_complement() {
  constexpr double kWork = 4e6;
  const Index psi = result_.dimension;
  const auto& pivots = kernel_->pivots();
  double work = 0;
  for (; complement_->vectors() < result_.rank && work < kWork;
       work += 4.0 * static_cast<double>(psi * complement_->vectors())) {
    const Index pivot = pivots[static_cast<std::size_t>(complement_->vectors())];
    Eigen::VectorXd h(psi);
    write_features(samples_->grams.row(pivot).data(), samples_->queries.row(pivot).data(),
                   samples_->dimension(), 1, h.data());
    complement_->add(h / h.stableNorm());
  }
  if (complement_->vectors() < result_.rank) return false;
  if (next_direction_ == 0) result_.null_space.resize(psi, complement_->size());
  for (; next_direction_ < complement_->size() && work < kWork;
       work += 4.0 * static_cast<double>(psi * (1 + result_.rank)))
    result_.null_space.col(next_direction_) = complement_->direction(next_direction_),
    ++next_direction_;
  if (next_direction_ < complement_->size()) return false;
  complement_.reset();
  describe_null_space();
  return true;
}

double Certificate::progress() const {
  switch (stage_) {
    case Stage::kFactor:
      return 0.8 * factor_->progress();
    case Stage::kKernel:
      return 0.6 * static_cast<double>(kernel_->rank()) / static_cast<double>(samples_->count());
    case Stage::kComplement:
      return 0.6 + 0.2 * static_cast<double>(next_direction_) /
                       static_cast<double>(complement_->size() + 1);
    case Stage::kLargest:
      return 0.8;
    case Stage::kSmallest:
      return 0.85 + (singular_ ? 0.1 * singular_->progress() : 0.0);
    case Stage::kModular:
      return 0.95;
    case Stage::kDone:
      break;
  }
  return 1;
}

PerInput Certificate::at(const Samples& queries, Index i) const {
  require_shape(queries.queries.rows(), queries.queries.cols(), -1, samples_->dimension(),
                "queries");
  if (!kernel_) {
    Vector h(result_.dimension);
    write_features(queries.grams.row(i).data(), queries.queries.row(i).data(),
                   samples_->dimension(), 1, h.data());
    const FeatureFactor::Leverage leverage = factor_->leverage(h);
    return {leverage.residual <= kDetermined, leverage.residual, leverage.value * total_weight_};
  }
  const double self = kernel(queries, i, queries, i);
  Vector column(kernel_->rank());
  for (Index p = 0; p < kernel_->rank(); ++p) {
    const Index pivot = kernel_->pivots()[static_cast<std::size_t>(p)];
    const double root = weights_->size() == 0 ? 1.0 : std::sqrt((*weights_)(pivot));
    column(p) = root * kernel(queries, i, *samples_, pivot);
  }
  const double residual = kernel_->residual(column, self);
  Eigen::VectorXd x = column;
  double leverage = 0;
  if (kernel_->rank() > 0) {
    kernel_->pivot_factor().triangularView<Eigen::Lower>().solveInPlace(x);
    kernel_triangle_.triangularView<Eigen::Upper>().transpose().solveInPlace(x);
    leverage = x.squaredNorm() * total_weight_;
  }
  return {residual <= kDeterminedKernel, std::sqrt(residual), leverage};
}

double largest_disagreement(double excess, double leverage) {
  return 2 * std::sqrt(excess * leverage);
}

double uniform_disagreement(double excess, double minimum_eigenvalue, double feature_norm) {
  if (!(minimum_eigenvalue > 0)) return std::numeric_limits<double>::infinity();
  return 2 * std::sqrt(excess / minimum_eigenvalue) * feature_norm;
}

}  // namespace attnlab::mhla

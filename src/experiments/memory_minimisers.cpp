#include "experiments/memory_minimisers.h"

#include <Eigen/QR>
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "core/random.h"
#include "mhla/feature_factor.h"
#include "mhla/fit.h"
#include "mhla/parameters.h"

namespace attnlab::experiments {
namespace {

constexpr std::uint64_t kDataStream = 0xce1, kNoiseStream = 0xce2, kStartStream = 0xce3,
                        kFreshStream = 0xce4;
constexpr Index kChunk = 1024;  // prompts drawn in a step
constexpr Index kFresh = 100;   // prompts asked
constexpr double kDetermined = 1e-8;

class MinimiserTask final : public Task {
 public:
  MinimiserTask(const MinimiserStudy& study, double share)
      : study_(study),
        share_(share),
        data_(study.seed, stream_of({kDataStream, std::bit_cast<std::uint64_t>(share)})),
        truth_(mhla::coefficients(mhla::memory_heads(study.key_dimension)).transpose()) {}

  bool step() override {
    switch (stage_) {
      case Stage::kDraw:
        if (draw()) stage_ = Stage::kFactor;
        break;
      case Stage::kFactor:
        if (factor_->step()) {
          compare();
          begin_descent();
          stage_ = Stage::kLargest;
        }
        break;
      case Stage::kLargest:
        if (lanczos_->step()) {
          record_[kLargestEigenvalue] = lanczos_->value() / weight();
          lanczos_.reset();
          if (factor_->rank() == factor_->dimension())
            lanczos_ = std::make_unique<mhla::LargestEigenvalue>(
                factor_->dimension(), [this](const Eigen::VectorXd& x) {
                  return Eigen::VectorXd(factor_->normal_solve(x).col(0));
                });
          stage_ = Stage::kSmallest;
        }
        break;
      case Stage::kSmallest:
        if (!lanczos_) {
          stage_ = Stage::kDescent;
        } else if (lanczos_->step()) {
          record_[kSmallestEigenvalue] = 1 / lanczos_->value() / weight();
          stage_ = Stage::kDescent;
        }
        break;
      case Stage::kDescent:
        if (descend()) {
          ask();
          stage_ = Stage::kDone;
        }
        break;
      case Stage::kDone:
        break;
    }
    return stage_ == Stage::kDone;
  }
  double progress() const override {
    switch (stage_) {
      case Stage::kDraw:
        return 0.05;
      case Stage::kFactor:
        return 0.05 + 0.8 * factor_->progress();
      case Stage::kDone:
        return 1;
      default:
        return 0.9;
    }
  }
  Record record() const override { return stage_ == Stage::kDone ? record_ : Record(); }

 private:
  enum class Stage { kDraw, kFactor, kLargest, kSmallest, kDescent, kDone };

  double weight() const { return static_cast<double>(study_.samples); }
  mhla::MemoryOptions options(double share) const {
    mhla::MemoryOptions memory;
    memory.key_dimension = study_.key_dimension;
    memory.pairs = study_.key_dimension;
    memory.gaussian_share = share;
    return memory;
  }

  bool draw() {
    const Index outputs = 2 * study_.key_dimension;
    if (samples_.count() == 0) {
      samples_ = {Matrix(study_.samples, mhla::pair_count(outputs)),
                  Matrix(study_.samples, outputs)};
      targets_.resize(study_.samples, 2 * outputs);
    }
    const Index now = std::min(kChunk, study_.samples - drawn_);
    const mhla::MemoryPrompts memory = draw_memory_prompts(options(share_), now, data_);
    const mhla::Samples chunk = last_samples(memory.prompts);
    samples_.grams.middleRows(drawn_, now) = chunk.grams;
    samples_.queries.middleRows(drawn_, now) = chunk.queries;
    const Matrix clean = memory_targets(memory.prompts);
    RandomStream noise(study_.seed, stream_of({kNoiseStream, std::bit_cast<std::uint64_t>(share_),
                                               static_cast<std::uint64_t>(drawn_)}));
    targets_.middleRows(drawn_, now).leftCols(outputs) = clean;
    targets_.middleRows(drawn_, now).rightCols(outputs) =
        clean + study_.noise * noise.gaussian_matrix(now, outputs);
    drawn_ += now;
    if (drawn_ < study_.samples) return false;
    mhla::FactorOptions factor;
    // Without Gaussian prompts the Gram matrix is singular for certain.
    factor.try_cholesky = share_ > 0;
    // The smallest eigenvalue is read off the factor: to about eps * condition^2.
    factor.condition_limit = 1e4;
    factor_ = std::make_unique<mhla::FeatureFactor>(
        std::make_shared<const mhla::Samples>(std::move(samples_)),
        std::make_shared<const Matrix>(std::move(targets_)), std::make_shared<const Vector>(),
        factor);
    return true;
  }

  void compare() {
    const Index outputs = 2 * study_.key_dimension;
    const Eigen::MatrixXd solution = factor_->least_norm(factor_->solution());
    record_[kRank] = static_cast<double>(factor_->rank());
    exact_ = solution.leftCols(outputs);
    record_[kExactDistance] = (exact_ - truth_).norm();
    record_[kNoiseDistance] = (solution.rightCols(outputs) - truth_).norm();
    started_ = exact_;
    const Eigen::MatrixXd& null_space = factor_->null_space();
    if (null_space.cols() > 0) {
      // Training moves nothing along the null space: what the start had there stays.
      RandomStream random(study_.seed, stream_of({kStartStream}));
      const Eigen::MatrixXd start =
          study_.start * random.gaussian_matrix(factor_->dimension(), outputs);
      const Eigen::HouseholderQR<Eigen::MatrixXd> qr(null_space);
      started_ += null_space * qr.solve(start);
    }
    record_[kStartDistance] = (started_ - truth_).norm();
  }

  void begin_descent() {
    error_ = -truth_.rightCols(study_.key_dimension);  // the other outputs are 0 and stay so
    lanczos_ = std::make_unique<mhla::LargestEigenvalue>(
        factor_->dimension(),
        [this](const Eigen::VectorXd& x) { return factor_->normal_apply(x); });
  }

  bool descend() {
    const double rate = 1 / (record_[kLargestEigenvalue] * weight());
    for (int i = 0; i < 8 && descended_ < study_.unfinished; ++i, ++descended_)
      for (Index a = 0; a < error_.cols(); ++a)
        error_.col(a) -= rate * factor_->normal_apply(error_.col(a));
    if (descended_ < study_.unfinished) return false;
    record_[kUnfinishedDistance] = error_.norm();
    return true;
  }

  void ask() {
    const Index psi = factor_->dimension();
    const Index d = 2 * study_.key_dimension;
    RandomStream random(study_.seed, stream_of({kFreshStream}));
    Vector h(psi);
    for (const bool gaussian : {false, true}) {
      const mhla::MemoryPrompts memory =
          draw_memory_prompts(options(gaussian ? 1.0 : 0.0), kFresh, random);
      const mhla::Samples fresh = last_samples(memory.prompts);
      double determined = 0, gap = 0;
      std::vector<double> leverages;
      for (Index i = 0; i < kFresh; ++i) {
        mhla::write_features(fresh.grams.row(i).data(), fresh.queries.row(i).data(), d, 1,
                             h.data());
        const auto leverage = factor_->leverage(h);
        if (leverage.residual <= kDetermined) {
          determined += 1;
          leverages.push_back(leverage.value * weight());
        }
        gap += ((started_ - truth_).transpose() * h).squaredNorm();
      }
      record_[gaussian ? kOtherDetermined : kOwnDetermined] =
          determined / static_cast<double>(kFresh);
      if (!gaussian) continue;
      record_[kStartGap] = std::sqrt(gap / static_cast<double>(kFresh * d));
      std::sort(leverages.begin(), leverages.end());
      record_[kOtherLeverage] = leverages.empty() ? std::numeric_limits<double>::quiet_NaN()
                                                  : leverages[leverages.size() / 2];
    }
  }

  MinimiserStudy study_;
  double share_;
  RandomStream data_;
  Eigen::MatrixXd truth_, exact_, started_, error_;  // psi x outputs
  Stage stage_ = Stage::kDraw;
  mhla::Samples samples_;
  Matrix targets_;
  Index drawn_ = 0, descended_ = 0;
  std::unique_ptr<mhla::FeatureFactor> factor_;
  std::unique_ptr<mhla::LargestEigenvalue> lanczos_;
  Record record_ = Record(kMinimiserFields, 0.0);
};

}  // namespace

std::unique_ptr<Task> minimiser_task(const MinimiserStudy& study, double gaussian_share) {
  return std::make_unique<MinimiserTask>(study, gaussian_share);
}

}  // namespace attnlab::experiments

#include "mhla/head_training.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/require.h"
#include "mhla/features.h"
#include "mhla/inner_product.h"

namespace attnlab::mhla {
namespace {

constexpr double kWorkPerStep = 1e6;
constexpr double kMemory = 8e8;  // bytes

}  // namespace

SequenceMoments begin_sequence_moments(const Prompts& prompts, Reading reading) {
  require_prompts(prompts, "sequences");
  const Index psi = feature_count(prompts.dimension());
  const Index size = psi * (psi + 1) / 2;
  require_memory(8.0 * static_cast<double>(prompts.count()) * static_cast<double>(size), kMemory,
                 "sequences");
  for (Index i = 1; i < prompts.count(); ++i)
    if (prompts.length(i) != prompts.length(0))
      fail(ErrorCode::kShape, "sequences", "are of unequal lengths");
  SequenceMoments moments;
  moments.dimension = prompts.dimension();
  moments.samples_each = reading == Reading::kPrefix ? prompts.length(0) : 1;
  moments.packed = Matrix::Zero(prompts.count(), size);
  moments.lambda = Eigen::MatrixXd::Zero(psi, psi);
  return moments;
}

bool add_sequence_moments(SequenceMoments& moments, const Prompts& prompts, Reading reading,
                          double work) {
  const Index d = moments.dimension;
  const Index psi = feature_count(d);
  Vector h(psi), g(pair_count(d));
  for (double done = 0; done < work && moments.done < prompts.count();) {
    const Index i = moments.done++;
    double* row = moments.packed.row(i).data();
    g.setZero();
    for (Index t = prompts.start(i); t < prompts.start(i + 1); ++t) {
      const double* z = prompts.tokens.row(t).data();
      add_outer(z, d, g.data());
      if (reading == Reading::kLast && t + 1 < prompts.start(i + 1)) continue;
      write_features(g.data(), z, d, 1, h.data());
      for (Index f = 0; f < psi; ++f)
        add_scaled(h(f), h.data(), row + f * (f + 1) / 2, f + 1);
    }
    done += static_cast<double>(moments.samples_each * moments.packed.cols());
  }
  if (moments.done < prompts.count()) return false;
  Vector all = Vector::Zero(moments.packed.cols());
  for (Index i = 0; i < prompts.count(); ++i)
    add_scaled(1, moments.packed.row(i).data(), all.data(), all.size());
  all /= static_cast<double>(prompts.count() * moments.samples_each);
  for (Index f = 0; f < psi; ++f)
    for (Index k = 0; k <= f; ++k)
      moments.lambda(f, k) = moments.lambda(k, f) = all(f * (f + 1) / 2 + k);
  return true;
}

SequenceMoments sequence_moments(const Prompts& prompts, Reading reading) {
  SequenceMoments moments = begin_sequence_moments(prompts, reading);
  while (!add_sequence_moments(moments, prompts, reading, 1e9)) {
  }
  return moments;
}

HeadTraining::HeadTraining(std::shared_ptr<const SequenceMoments> data, Matrix truth,
                           HeadShape shape, Vector start, const HeadTrainingOptions& options,
                           std::uint64_t seed, std::uint64_t replicate)
    : data_(std::move(data)),
      truth_(std::move(truth)),
      shape_(shape),
      options_(options),
      search_(std::move(start), options.adamw),
      random_(seed, stream_of({0x7a1e, replicate})),
      order_(static_cast<std::size_t>(data_->packed.rows())),
      sum_(data_->packed.cols()),
      lambda_(truth_.cols(), truth_.cols()) {
  require_shape(search_.point().size(), 1, shape_.size(), 1, "start");
  require_shape(truth_.rows(), truth_.cols(), shape_.outputs, feature_count(shape_.dimension),
                "truth");
  require_range(static_cast<double>(options_.batch), 1, 1e9, "batch");
  require_range(static_cast<double>(options_.epochs), 1, 1e9, "epochs");
  losses_.push_back(loss());
  begin_epoch();
}

void HeadTraining::begin_epoch() {
  std::iota(order_.begin(), order_.end(), Index{0});
  for (std::size_t i = order_.size(); i > 1; --i)
    std::swap(order_[i - 1], order_[static_cast<std::size_t>(random_.below(i))]);
  next_ = 0;
}

double HeadTraining::loss() {
  coefficients_of(search_.point(), shape_, error_);
  error_ -= truth_;
  double sum = 0;
  for (Index a = 0; a < error_.rows(); ++a) {
    const Vector row = error_.row(a).transpose();
    for (Index f = 0; f < row.size(); ++f)
      sum += row(f) * inner_product(data_->lambda.col(f).data(), row.data(), row.size());
  }
  // A quadratic form of a nonnegative matrix: below 0 by rounding only.
  return std::max(0.0, sum);
}

bool HeadTraining::step() {
  const Index count = data_->packed.rows();
  const Index psi = truth_.cols();
  const double cost = static_cast<double>(data_->packed.cols()) *
                      static_cast<double>(std::min(options_.batch, count));
  const Index steps_an_epoch = (count + options_.batch - 1) / options_.batch;
  for (double work = 0; work < kWorkPerStep; work += cost + 1e3) {
    if (diverged_ || epoch_ >= options_.epochs) return true;
    const Index now = std::min(options_.batch, count - next_);
    sum_.setZero();
    for (Index b = 0; b < now; ++b)
      add_scaled(1, data_->packed.row(order_[static_cast<std::size_t>(next_ + b)]).data(),
                 sum_.data(), sum_.size());
    sum_ /= static_cast<double>(now * data_->samples_each);
    for (Index f = 0; f < psi; ++f)
      for (Index g = 0; g <= f; ++g)
        lambda_(f, g) = lambda_(g, f) = sum_(f * (f + 1) / 2 + g);
    coefficients_of(search_.point(), shape_, error_);
    error_ -= truth_;
    slope_.resize(error_.rows(), psi);
    for (Index a = 0; a < error_.rows(); ++a) {
      const Vector row = error_.row(a).transpose();
      for (Index f = 0; f < psi; ++f)
        slope_(a, f) = 2 * inner_product(lambda_.col(f).data(), row.data(), psi);
    }
    pull_back(search_.point(), shape_, slope_, gradient_);
    const double factor = optimize::schedule_factor(options_.schedule, search_.steps(),
                                                    steps_an_epoch * options_.epochs, 0);
    if (!search_.step(gradient_, factor)) {
      diverged_ = true;
      return true;
    }
    next_ += now;
    if (next_ == count) {
      const double value = loss();
      if (!std::isfinite(value)) {
        diverged_ = true;
        return true;
      }
      losses_.push_back(value);
      ++epoch_;
      if (epoch_ < options_.epochs) begin_epoch();
    }
  }
  return diverged_ || epoch_ >= options_.epochs;
}

}  // namespace attnlab::mhla

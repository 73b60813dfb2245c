#include "mhla/sequence_training.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/require.h"

namespace attnlab::mhla {

SequenceTraining::SequenceTraining(std::shared_ptr<const SequenceModel> model,
                                   std::shared_ptr<const Prompts> sequences,
                                   std::shared_ptr<const Matrix> targets,
                                   const SequenceTrainingOptions& options, std::uint64_t seed,
                                   std::uint64_t replicate)
    : model_(std::move(model)),
      sequences_(std::move(sequences)),
      targets_(std::move(targets)),
      options_(options),
      random_(seed, stream_of({0x5e9, replicate})),
      search_(model_->initial(random_), options.adamw),
      order_(static_cast<std::size_t>(sequences_->count())),
      gradient_(Vector::Zero(model_->parameter_count())) {
  require_shape(targets_->rows(), targets_->cols(), sequences_->tokens.rows(), -1, "targets");
  require_range(static_cast<double>(options_.batch), 1, 1e9, "batch");
  require_range(static_cast<double>(options_.epochs), 1, 1e9, "epochs");
  const Index first = std::min(options_.batch, sequences_->count());
  double sum = 0;
  for (Index i = 0; i < first; ++i)
    sum +=
        model_->loss(search_.point(), sequences_->prompt(i),
                     targets_->middleRows(sequences_->start(i), sequences_->length(i)), 1, nullptr);
  losses_.push_back(sum / static_cast<double>(first));
  begin_epoch();
}

void SequenceTraining::begin_epoch() {
  std::iota(order_.begin(), order_.end(), Index{0});
  for (std::size_t i = order_.size(); i > 1; --i)
    std::swap(order_[i - 1], order_[static_cast<std::size_t>(random_.below(i))]);
  next_ = 0;
  sum_ = 0;
}

double SequenceTraining::progress() const {
  const double part = static_cast<double>(next_) / static_cast<double>(sequences_->count());
  return std::min(1.0, (static_cast<double>(epoch_) + part) / static_cast<double>(options_.epochs));
}

bool SequenceTraining::step() {
  if (diverged_ || epoch_ >= options_.epochs) return true;
  const Index count = sequences_->count();
  const Index in_batch = next_ % options_.batch;
  const Index batch = std::min(options_.batch, count - (next_ - in_batch));
  const Index i = order_[static_cast<std::size_t>(next_)];
  sum_ += model_->loss(search_.point(), sequences_->prompt(i),
                       targets_->middleRows(sequences_->start(i), sequences_->length(i)),
                       1 / static_cast<double>(batch), &gradient_);
  ++next_;
  if (in_batch + 1 == batch) {
    const Index steps = options_.epochs * ((count + options_.batch - 1) / options_.batch);
    if (!std::isfinite(sum_) ||
        !search_.step(gradient_,
                      optimize::schedule_factor(options_.schedule, search_.steps(), steps, 0))) {
      diverged_ = true;
      return true;
    }
    gradient_.setZero();
  }
  if (next_ == count) {
    losses_.push_back(sum_ / static_cast<double>(count));
    ++epoch_;
    if (epoch_ < options_.epochs) begin_epoch();
  }
  return epoch_ >= options_.epochs;
}

}  // namespace attnlab::mhla

#include "experiments/prompt_sweep.h"

#include <algorithm>
#include <utility>

#include "measure/autoregressive.h"

namespace attnlab::experiments {
namespace {

constexpr std::uint64_t kTokenStream = 0x70;
// Tokens a step: about a millisecond.
constexpr Index kTokensPerStep = 8192;
constexpr Index kRowsAtOnce = 2048;
constexpr std::size_t kNumbersPerMoments = 3;

class SweepTask final : public Task {
 public:
  SweepTask(std::shared_ptr<const PromptSweep> sweep, std::size_t number)
      : sweep_(std::move(sweep)),
        source_number_(number % sweep_->sources.size()),
        block_(static_cast<Index>(number / sweep_->sources.size())),
        source_(sweep_->sources[source_number_]),
        prompt_(source_.direction, sweep_->magnitudes, sweep_->covariances),
        tokens_(std::min(kRowsAtOnce, sweep_->sizes.back()), source_.dimension),
        values_(sweep_->quantities),
        moments_(sweep_->sizes.size() * sweep_->magnitudes.size() * sweep_->quantities) {
    for (const double magnitude : sweep_->magnitudes) {
      const Vector a = magnitude * source_.direction;
      const Index d = source_.dimension;
      limits_.push_back(source_.measure->contains(a)
                            ? source_.measure->tilt(a)
                            : measure::Tilted{0, Vector::Zero(d), Matrix::Zero(d, d)});
    }
    for (std::size_t s = 0; s < sweep_->sizes.size(); ++s)
      all_ += static_cast<double>((share_end(s) - share_begin(s)) * sweep_->sizes[s]);
    replicate_ = share_begin(0);
  }

  bool step() override {
    Index left = kTokensPerStep;
    while (left > 0) {
      while (size_ < sweep_->sizes.size() && replicate_ >= share_end(size_)) {
        ++size_;
        if (size_ < sweep_->sizes.size()) replicate_ = share_begin(size_);
      }
      if (size_ == sweep_->sizes.size()) return true;
      left -= read_more(left);
    }
    return false;
  }

  double progress() const override { return all_ > 0 ? std::min(1.0, done_ / all_) : 1.0; }

  Record record() const override {
    Record record;
    record.reserve(moments_.size() * kNumbersPerMoments);
    for (const auto& moments : moments_) {
      record.push_back(moments.count);
      record.push_back(moments.sum);
      record.push_back(moments.squares);
    }
    return record;
  }

 private:
  Index share_begin(std::size_t size) const {
    return sweep_->replicates[size] * block_ / sweep_->blocks;
  }
  Index share_end(std::size_t size) const {
    return sweep_->replicates[size] * (block_ + 1) / sweep_->blocks;
  }

  // Reads up to `most` tokens of the current prompt and ends the prompt when it is whole. Returns
  // how many tokens that were.
  Index read_more(Index most) {
    const Index n = sweep_->sizes[size_];
    if (read_ == 0) {
      const auto index = [](auto value) { return static_cast<std::uint64_t>(value); };
      random_ = RandomStream(sweep_->seed, stream_of({kTokenStream, index(source_.dimension),
                                                      index(n), index(replicate_)}));
      prompt_.clear();
      previous_.resize(0);
    }
    const Index rows = std::min({n - read_, most, tokens_.rows()});
    source_.measure->draw(random_, tokens_.topRows(rows));
    if (source_.persistence != 0)
      measure::make_autoregressive(tokens_.topRows(rows), source_.persistence, previous_);
    prompt_.add(tokens_.topRows(rows));
    read_ += rows;
    done_ += static_cast<double>(rows);
    if (read_ == n) end_prompt(n);
    return rows;
  }

  void end_prompt(Index n) {
    Moments* moments = &moments_[size_ * sweep_->magnitudes.size() * sweep_->quantities];
    for (std::size_t k = 0; k < sweep_->magnitudes.size(); ++k) {
      sweep_->measure_prompt(prompt_.summary(k), limits_[k], n, values_.data());
      for (const double value : values_)
        (moments++)->add(value);
    }
    read_ = 0;
    ++replicate_;
  }

  std::shared_ptr<const PromptSweep> sweep_;
  std::size_t source_number_;
  Index block_;
  const TokenSource& source_;
  std::vector<measure::Tilted> limits_;  // one a magnitude
  measure::FinitePrompt prompt_;
  Matrix tokens_;
  std::vector<double> values_;
  std::vector<Moments> moments_;  // size, magnitude, quantity
  RandomStream random_{0, 0};
  Vector previous_;  // last token of the current prompt, for autoregressive ones
  std::size_t size_ = 0;
  Index replicate_ = 0;
  Index read_ = 0;  // tokens of the current prompt
  double done_ = 0;
  double all_ = 0;
};

}  // namespace

void plan_sizes(PromptSweep& sweep, Index largest, Index replicates) {
  sweep.sizes.clear();
  sweep.replicates.clear();
  for (Index n = 16; n <= largest; n *= 2)
    sweep.sizes.push_back(n);
  for (const Index n : sweep.sizes)
    sweep.replicates.push_back(replicates * std::min<Index>(sweep.sizes.back() / n, 64));
}

std::size_t sweep_task_count(const PromptSweep& sweep) {
  return sweep.sources.size() * static_cast<std::size_t>(sweep.blocks);
}

std::unique_ptr<Task> sweep_task(std::shared_ptr<const PromptSweep> sweep, std::size_t number) {
  return std::make_unique<SweepTask>(std::move(sweep), number);
}

SweepTotals::SweepTotals(const PromptSweep& sweep, std::span<const Record> records)
    : sizes_(sweep.sizes.size()),
      magnitudes_(sweep.magnitudes.size()),
      quantities_(sweep.quantities),
      moments_(sweep.sources.size() * sizes_ * magnitudes_ * quantities_) {
  const std::size_t width = sizes_ * magnitudes_ * quantities_;
  for (std::size_t number = 0; number < records.size(); ++number) {
    const Record& record = records[number];
    if (record.empty()) continue;
    Moments* into = &moments_[number % sweep.sources.size() * width];
    for (std::size_t i = 0; i < width; ++i) {
      const double* three = &record[kNumbersPerMoments * i];
      into[i].add(Moments{three[0], three[1], three[2]});
    }
  }
}

const Moments& SweepTotals::at(std::size_t source, std::size_t size, std::size_t magnitude,
                               std::size_t quantity) const {
  return moments_[((source * sizes_ + size) * magnitudes_ + magnitude) * quantities_ + quantity];
}

}  // namespace attnlab::experiments

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "core/random.h"
#include "experiments/needle_haystack.h"

namespace attnlab::experiments {
namespace {

using needle::Kernel;

constexpr Kernel kKernels[] = {Kernel::kSoftmax, Kernel::kLinear};
constexpr Index kPlayedAtOnce = 20;
enum Purpose : std::uint64_t { kPlayed = 0x4e12, kTrained, kTested, kFirst };

class PlayTask final : public PiecewiseTask {
 public:
  PlayTask(std::shared_ptr<const HaystackGame> setting, Index length)
      : setting_(std::move(setting)),
        problem_(setting_->problem(length)),
        random_(setting_->seed, stream_of({kPlayed, static_cast<std::uint64_t>(length)})) {}

  double progress() const override {
    return static_cast<double>(played_) / static_cast<double>(setting_->prompts);
  }
  Record record() const override {
    if (searchers_.size() < 2 || played_ == 0) return {};
    Record record = theory_;
    for (const SearchTally& tally : tallies_)
      tally.write(record);
    return record;
  }

 private:
  bool advance() override {
    if (searchers_.size() < 2) {
      const Kernel kernel = kKernels[searchers_.size()];
      searchers_.push_back(make_searcher(problem_, kernel, setting_->sharpness));
      const Searcher& searcher = searchers_.back();
      const needle::AttentionMoments moments =
          needle::MomentEvaluator(problem_, kernel).at({searcher.scale, 0, 0});
      theory_.push_back(moments.best_risk());
      return false;
    }
    const Haystack& haystack = setting_->haystack;
    for (Index i = 0; i < kPlayedAtOnce && played_ < setting_->prompts; ++i, ++played_) {
      const HaystackPrompt prompt = draw_prompt(haystack, problem_, random_);
      for (std::size_t k = 0; k < 2; ++k)
        tallies_[k].add(answer(haystack, prompt, searchers_[k].kernel,
                               searchers_[k].scale * haystack.teacher.key,
                               searchers_[k].output * haystack.teacher.value));
    }
    return played_ >= setting_->prompts;
  }

  std::shared_ptr<const HaystackGame> setting_;
  needle::Problem problem_;
  RandomStream random_;
  std::vector<Searcher> searchers_;
  Record theory_;
  SearchTally tallies_[2];
  Index played_ = 0;
};

class TrainTask final : public PiecewiseTask {
 public:
  TrainTask(std::shared_ptr<const HaystackGame> setting, Kernel kernel)
      : setting_(std::move(setting)),
        kernel_(kernel),
        problem_(setting_->problem(std::min(setting_->length, kTrainingLength))),
        random_(setting_->seed, stream_of({kTrained})) {
    RandomStream first(setting_->seed, stream_of({kFirst}));
    key_ = 0.1 * first.gaussian_vector(setting_->haystack.dimension);
    value_ = 0.1 * first.gaussian_vector(setting_->haystack.dimension);
  }

  double progress() const override {
    return static_cast<double>(step_) / static_cast<double>(setting_->training_steps);
  }
  Record record() const override { return record_; }
  std::optional<std::int64_t> diverged_at() const override {
    if (finite_) return std::nullopt;
    return step_;
  }

 private:
  static constexpr Index kBatch = 32;

  bool advance() override {
    if (step_ == kTrainingStages[stage_]) {
      test();
      ++stage_;
      return stage_ == std::size(kTrainingStages) ||
             kTrainingStages[stage_] > setting_->training_steps;
    }
    const Haystack& haystack = setting_->haystack;
    Vector key_gradient = Vector::Zero(key_.size()), value_gradient = Vector::Zero(key_.size());
    double power = 0;
    for (Index n = 0; n < kBatch; ++n) {
      const HaystackPrompt prompt = draw_prompt(haystack, problem_, random_);
      const needle::PredictionGradient f =
          needle::predict_gradient(kernel_, prompt.tokens, key_, value_);
      const double miss = (f.prediction - prompt.label) / static_cast<double>(kBatch);
      key_gradient += miss * f.key;
      value_gradient += miss * f.value;
      power += (f.key.squaredNorm() + f.value.squaredNorm()) / static_cast<double>(kBatch);
    }
    // The curvature of the loss is about the mean of |df|^2 over D; it changes while the key grows.
    const double rate = 0.4 * static_cast<double>(haystack.dimension) / std::fmax(power, 1e-6) /
                        (1 + static_cast<double>(step_) / 500);
    key_ -= rate * key_gradient;
    value_ -= rate * value_gradient;
    ++step_;
    finite_ = key_.allFinite() && value_.allFinite();
    return !finite_;
  }

  void test() {
    RandomStream random(setting_->seed, stream_of({kTested}));
    SearchTally tally;
    for (Index n = 0; n < 300; ++n)
      tally.add(answer(setting_->haystack, draw_prompt(setting_->haystack, problem_, random),
                       kernel_, key_, value_));
    tally.write(record_);
  }

  std::shared_ptr<const HaystackGame> setting_;
  Kernel kernel_;
  needle::Problem problem_;
  RandomStream random_;
  Vector key_, value_;
  Record record_;
  Index step_ = 0;
  std::size_t stage_ = 0;
  bool finite_ = true;
};

}  // namespace

std::unique_ptr<Task> play_task(std::shared_ptr<const HaystackGame> game, Index length) {
  return std::make_unique<PlayTask>(std::move(game), length);
}

std::unique_ptr<Task> search_training_task(std::shared_ptr<const HaystackGame> game,
                                           needle::Kernel kernel) {
  return std::make_unique<TrainTask>(std::move(game), kernel);
}

}  // namespace attnlab::experiments

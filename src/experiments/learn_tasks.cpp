#include "experiments/learn_tasks.h"

#include <cmath>
#include <utility>

#include "core/random.h"
#include "mhla/certificate.h"
#include "mhla/fit.h"
#include "mhla/parameters.h"

namespace attnlab::experiments {
namespace {

constexpr std::uint64_t kTruthStream = 0x1e1, kDataStream = 0x1e2, kUnseenStream = 0x1e3,
                        kStartStream = 0x1e4;
constexpr Index kUnseen = 64;  // held-out sequences

mhla::Prompts draw(const LearnSetting& setting, std::uint64_t stream, Index how_many) {
  RandomStream random(setting.seed, stream_of({stream}));
  return mhla::random_sequences(how_many, setting.length, setting.d, setting.scale, random);
}

Matrix answers(const LearnSetting& setting, const mhla::Prompts& prompts) {
  Matrix y(prompts.tokens.rows(), 1);
  for (Index i = 0; i < prompts.count(); ++i)
    y.middleRows(prompts.start(i), prompts.length(i)) =
        apply(setting.truth, prompts.prompt(i), mhla::OutputMode::kPrefix);
  return y;
}

}  // namespace

class LearnData {
 public:
  bool step(const LearnSetting& setting) {
    if (ready_) return true;
    if (!prompts_) {
      prompts_ = std::make_unique<mhla::Prompts>(draw(setting, kDataStream, setting.sequences));
      moments_ = std::make_shared<mhla::SequenceMoments>(
          begin_sequence_moments(*prompts_, mhla::Reading::kPrefix));
      return false;
    }
    ready_ = add_sequence_moments(*moments_, *prompts_, mhla::Reading::kPrefix, 4e6);
    return ready_;
  }
  std::shared_ptr<const mhla::SequenceMoments> moments() const { return moments_; }

 private:
  std::unique_ptr<mhla::Prompts> prompts_;
  std::shared_ptr<mhla::SequenceMoments> moments_;
  bool ready_ = false;
};

namespace {

class SolverTask final : public Task {
 public:
  explicit SolverTask(std::shared_ptr<const LearnSetting> setting) : setting_(std::move(setting)) {}

  bool step() override {
    if (!fit_) {
      prepare_fit();
      return false;
    }
    if (!fitted_) {
      fitted_ = fit_->step();
      if (fitted_) {
        mhla::CertificateOptions options;
        options.exact_for_whole_numbers = false;
        certificate_ = std::make_unique<mhla::Certificate>(std::move(samples_), options);
      }
      return false;
    }
    if (!certificate_->step()) return false;
    const mhla::FitResult& result = fit_->result();
    const mhla::Prompts unseen = draw(*setting_, kUnseenStream, kUnseen);
    double sum = 0;
    for (Index i = 0; i < unseen.count(); ++i)
      sum += (apply(result.heads, unseen.prompt(i), mhla::OutputMode::kPrefix) -
              apply(setting_->truth, unseen.prompt(i), mhla::OutputMode::kPrefix))
                 .squaredNorm();
    record_ = {result.training_error,
               sum / static_cast<double>(unseen.tokens.rows()),
               result.target_variance,
               static_cast<double>(result.heads.size()),
               certificate_->result().minimum_eigenvalue,
               static_cast<double>(mhla::fit_method(result.method))};
    return true;
  }
  double progress() const override {
    if (!fit_) return 0;
    return 0.5 * fit_->progress() + (certificate_ ? 0.5 * certificate_->progress() : 0.0);
  }
  Record record() const override { return record_; }

 private:
  // One piece after the other: the data, their targets some sequences at a time, the samples.
  void prepare_fit() {
    if (prompts_.count() == 0) {
      prompts_ = draw(*setting_, kDataStream, setting_->sequences);
      targets_.resize(prompts_.tokens.rows(), 1);
    } else if (answered_ < prompts_.count()) {
      const Index until = std::min(prompts_.count(), answered_ + 32);
      for (; answered_ < until; ++answered_)
        targets_.middleRows(prompts_.start(answered_), prompts_.length(answered_)) =
            apply(setting_->truth, prompts_.prompt(answered_), mhla::OutputMode::kPrefix);
    } else if (samples_.count() == 0) {
      samples_ = prefix_samples(prompts_);
    } else {
      fit_ = std::make_unique<mhla::Fit>(samples_, std::move(targets_));
    }
  }

  std::shared_ptr<const LearnSetting> setting_;
  mhla::Prompts prompts_;
  Matrix targets_;
  Index answered_ = 0;
  mhla::Samples samples_;
  std::unique_ptr<mhla::Fit> fit_;
  std::unique_ptr<mhla::Certificate> certificate_;
  bool fitted_ = false;
  Record record_;
};

// Record: the losses, one an epoch.
class HeadTask final : public Task {
 public:
  HeadTask(std::shared_ptr<const LearnSetting> setting, std::shared_ptr<LearnData> shared,
           Index heads, std::uint64_t replicate)
      : setting_(std::move(setting)),
        shared_(std::move(shared)),
        heads_(heads),
        replicate_(replicate) {}

  bool step() override {
    if (!training_) {
      if (!shared_->step(*setting_)) return false;
      const mhla::HeadShape shape{heads_, 1, setting_->d};
      const auto number = static_cast<std::uint64_t>(heads_);
      RandomStream random(setting_->seed, stream_of({kStartStream, number, replicate_}));
      const double scale = 1 / std::sqrt(static_cast<double>(setting_->d));
      training_ = std::make_unique<mhla::HeadTraining>(
          shared_->moments(), setting_->coefficients, shape,
          random_head_vector(shape, scale, random), setting_->training, setting_->seed,
          number * 1000 + replicate_);
      return false;
    }
    return training_->step();
  }
  double progress() const override {
    if (!training_) return 0;
    return static_cast<double>(training_->epoch()) / static_cast<double>(setting_->training.epochs);
  }
  Record record() const override { return training_ ? training_->losses() : Record(); }
  std::optional<std::int64_t> diverged_at() const override {
    if (!training_ || !training_->diverged()) return std::nullopt;
    return training_->steps();
  }

 private:
  std::shared_ptr<const LearnSetting> setting_;
  std::shared_ptr<LearnData> shared_;
  Index heads_;
  std::uint64_t replicate_;
  std::unique_ptr<mhla::HeadTraining> training_;
};

class OtherTask final : public Task {
 public:
  OtherTask(std::shared_ptr<const LearnSetting> setting,
            std::shared_ptr<const mhla::SequenceModel> model, std::uint64_t replicate)
      : setting_(std::move(setting)), model_(std::move(model)), replicate_(replicate) {}

  bool step() override {
    if (!training_) {
      auto prompts =
          std::make_shared<const mhla::Prompts>(draw(*setting_, kDataStream, setting_->sequences));
      auto targets = std::make_shared<const Matrix>(answers(*setting_, *prompts));
      training_ = std::make_unique<mhla::SequenceTraining>(
          model_, prompts, targets, setting_->other, setting_->seed, replicate_);
      return false;
    }
    return training_->step();
  }
  double progress() const override { return training_ ? training_->progress() : 0.0; }
  Record record() const override { return training_ ? training_->losses() : Record(); }
  std::optional<std::int64_t> diverged_at() const override {
    if (!training_ || !training_->diverged()) return std::nullopt;
    return training_->steps();
  }

 private:
  std::shared_ptr<const LearnSetting> setting_;
  std::shared_ptr<const mhla::SequenceModel> model_;
  std::uint64_t replicate_;
  std::unique_ptr<mhla::SequenceTraining> training_;
};

}  // namespace

void draw_truth(LearnSetting& setting) {
  RandomStream random(setting.seed, stream_of({kTruthStream}));
  setting.truth = mhla::random_heads(1, 1, setting.d, setting.scale, random);
  setting.coefficients = mhla::coefficients(setting.truth);
}

std::shared_ptr<LearnData> make_learn_data() {
  return std::make_shared<LearnData>();
}

std::unique_ptr<Task> solver_task(std::shared_ptr<const LearnSetting> setting) {
  return std::make_unique<SolverTask>(std::move(setting));
}

std::unique_ptr<Task> head_task(std::shared_ptr<const LearnSetting> setting,
                                std::shared_ptr<LearnData> data, Index heads,
                                std::uint64_t replicate) {
  return std::make_unique<HeadTask>(std::move(setting), std::move(data), heads, replicate);
}

std::unique_ptr<Task> sequence_task(std::shared_ptr<const LearnSetting> setting,
                                    std::shared_ptr<const mhla::SequenceModel> model,
                                    std::uint64_t replicate) {
  return std::make_unique<OtherTask>(std::move(setting), std::move(model), replicate);
}

}  // namespace attnlab::experiments

// mhla.learn: gradient descent on heads beside the least-squares solver.
#include "experiments/mhla_learn.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/random.h"
#include "experiments/parameters.h"
#include "experiments/registry.h"
#include "experiments/table_rows.h"
#include "mhla/certificate.h"
#include "mhla/fit.h"
#include "mhla/head_training.h"
#include "mhla/linear_attention_data.h"
#include "mhla/parameters.h"
#include "mhla/sequence_training.h"

namespace attnlab::experiments {
namespace {

constexpr std::uint64_t kTruthStream = 0x1e1, kDataStream = 0x1e2, kUnseenStream = 0x1e3,
                        kStartStream = 0x1e4;
constexpr Index kUnseen = 64;  // held-out sequences
constexpr Index kShown = 120;  // points of a curve

struct Setting {
  Index d, sequences, length;
  mhla::ScaleReading scale;
  mhla::Heads truth;
  Matrix coefficients;
  mhla::HeadTrainingOptions training;
  mhla::SequenceTrainingOptions other;
  std::uint64_t seed = 0;

  mhla::Prompts draw(std::uint64_t stream, Index how_many) const {
    RandomStream random(seed, stream_of({stream}));
    return mhla::random_sequences(how_many, length, d, scale, random);
  }
  Matrix answers(const mhla::Prompts& prompts) const {
    Matrix y(prompts.tokens.rows(), 1);
    for (Index i = 0; i < prompts.count(); ++i)
      y.middleRows(prompts.start(i), prompts.length(i)) =
          apply(truth, prompts.prompt(i), mhla::OutputMode::kPrefix);
    return y;
  }
};

// The data's moments, made by whichever training task comes first and shared by the others.
struct Shared {
  std::unique_ptr<mhla::Prompts> prompts;
  std::shared_ptr<mhla::SequenceMoments> moments;
  std::shared_ptr<const Matrix> targets;
  bool ready = false;

  bool step(const Setting& setting) {
    if (ready) return true;
    if (!prompts) {
      prompts = std::make_unique<mhla::Prompts>(setting.draw(kDataStream, setting.sequences));
      moments = std::make_shared<mhla::SequenceMoments>(
          begin_sequence_moments(*prompts, mhla::Reading::kPrefix));
      return false;
    }
    ready = add_sequence_moments(*moments, *prompts, mhla::Reading::kPrefix, 4e6);
    return ready;
  }
};

enum SolverField : std::size_t {
  kTraining,
  kHeldOut,
  kVariance,
  kHeadCount,
  kSmallest,
  kMethod,
  kSolverFields
};

class SolverTask final : public Task {
 public:
  explicit SolverTask(std::shared_ptr<const Setting> setting) : setting_(std::move(setting)) {}

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
    const mhla::Prompts unseen = setting_->draw(kUnseenStream, kUnseen);
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
      prompts_ = setting_->draw(kDataStream, setting_->sequences);
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

  std::shared_ptr<const Setting> setting_;
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
  HeadTask(std::shared_ptr<const Setting> setting, std::shared_ptr<Shared> shared, Index heads,
           std::uint64_t replicate)
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
          shared_->moments, setting_->coefficients, shape, random_head_vector(shape, scale, random),
          setting_->training, setting_->seed, number * 1000 + replicate_);
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
  std::shared_ptr<const Setting> setting_;
  std::shared_ptr<Shared> shared_;
  Index heads_;
  std::uint64_t replicate_;
  std::unique_ptr<mhla::HeadTraining> training_;
};

class OtherTask final : public Task {
 public:
  OtherTask(std::shared_ptr<const Setting> setting,
            std::shared_ptr<const mhla::SequenceModel> model, std::uint64_t replicate)
      : setting_(std::move(setting)), model_(std::move(model)), replicate_(replicate) {}

  bool step() override {
    if (!training_) {
      auto prompts =
          std::make_shared<const mhla::Prompts>(setting_->draw(kDataStream, setting_->sequences));
      auto targets = std::make_shared<const Matrix>(setting_->answers(*prompts));
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
  std::shared_ptr<const Setting> setting_;
  std::shared_ptr<const mhla::SequenceModel> model_;
  std::uint64_t replicate_;
  std::unique_ptr<mhla::SequenceTraining> training_;
};

struct Curve {
  std::string name;
  Index heads = 0;  // 0: another model
  std::shared_ptr<const mhla::SequenceModel> model;
  Index epochs = 0;
};

class LearnPlan final : public Plan {
 public:
  LearnPlan(const Values& values, std::uint64_t seed)
      : replicates_(count(values, "replicates")), shared_(std::make_shared<Shared>()) {
    auto setting = std::make_shared<Setting>();
    setting->d = count(values, "dimension");
    setting->sequences = count(values, "sequences");
    setting->length = count(values, "length");
    setting->scale = mhla::scale_reading(text(values, "scale"));
    setting->seed = seed;
    RandomStream random(seed, stream_of({kTruthStream}));
    setting->truth = mhla::random_heads(1, 1, setting->d, setting->scale, random);
    setting->coefficients = mhla::coefficients(setting->truth);
    setting->training.adamw.rate = number(values, "rate");
    setting->training.adamw.weight_decay = number(values, "weightDecay");
    setting->training.epochs = count(values, "epochs");
    setting->training.batch = count(values, "batch");
    setting->other.adamw = setting->training.adamw;
    setting->other.epochs = count(values, "otherEpochs");
    setting->other.batch = setting->training.batch;
    for (const double heads : numbers(values, "heads")) {
      if (heads != std::floor(heads))
        fail(ErrorCode::kNotInteger, "heads", "has the entry " + show(heads));
      curves_.push_back({show(heads) + (heads == 1 ? " head" : " heads"), static_cast<Index>(heads),
                         nullptr, setting->training.epochs});
    }
    const std::string& others = text(values, "others");
    if (others == "layers" || others == "both")
      curves_.push_back({"2 layers, 4 heads each", 0, mhla::linear_stack(2, 4, setting->d, 1),
                         setting->other.epochs});
    if (others == "transformer" || others == "both")
      curves_.push_back({"softmax transformer, 1 layer", 0,
                         mhla::small_transformer(1, 1, 16, setting->d, 1), setting->other.epochs});
    setting_ = std::move(setting);
  }

  // The solver, then every curve's first run, then the second ones, ...
  std::size_t task_count() const override {
    return 1 + curves_.size() * static_cast<std::size_t>(replicates_);
  }
  std::unique_ptr<Task> task(std::size_t number) const override {
    if (number == 0) return std::make_unique<SolverTask>(setting_);
    const Curve& curve = curves_[(number - 1) % curves_.size()];
    const std::uint64_t replicate = (number - 1) / curves_.size();
    if (curve.heads > 0)
      return std::make_unique<HeadTask>(setting_, shared_, curve.heads, replicate);
    return std::make_unique<OtherTask>(setting_, curve.model, replicate);
  }
  double cost(std::size_t number) const override {
    if (number == 0) return 1;
    return curves_[(number - 1) % curves_.size()].model ? 10 : 1;
  }

  Tables summarise(std::span<const Record> records) const override {
    const Descriptor& descriptor = mhla_learn_descriptor();
    TableRows curves(descriptor, "curves"), solver(descriptor, "solver"),
        final(descriptor, "final"), summary(descriptor, "summary");
    double best = std::numeric_limits<double>::quiet_NaN(), worst = best;
    for (std::size_t c = 0; c < curves_.size(); ++c) {
      add_curve(curves, c, records);
      for (std::size_t r = 0; r < static_cast<std::size_t>(replicates_); ++r) {
        const Record& losses = records[1 + r * curves_.size() + c];
        if (losses.empty()) continue;
        final.add({curves_[c].name, static_cast<double>(r + 1), losses.back(),
                   static_cast<double>(losses.size() - 1)});
        best = std::fmin(best, losses.back());
        worst = std::fmax(worst, losses.back());
      }
    }
    const Record& found = records[0];
    if (found.size() == kSolverFields) {
      const auto last = static_cast<double>(setting_->training.epochs);
      solver.add({0.0, found[kTraining], found[kHeldOut]});
      solver.add({last, found[kTraining], found[kHeldOut]});
      summary.add({found[kTraining], found[kHeldOut], found[kVariance], found[kHeadCount], best,
                   worst, found[kSmallest],
                   std::string(mhla::fit_method_name(
                       static_cast<mhla::FitMethod>(static_cast<int>(found[kMethod]))))});
    }
    return {curves.take(), solver.take(), final.take(), summary.take()};
  }

 private:
  void add_curve(TableRows& curves, std::size_t c, std::span<const Record> records) const {
    const Index stride = std::max<Index>(1, (curves_[c].epochs + kShown - 1) / kShown);
    for (Index epoch = 0; epoch <= curves_[c].epochs; epoch += stride) {
      std::vector<double> losses;
      for (std::size_t r = 0; r < static_cast<std::size_t>(replicates_); ++r) {
        const Record& record = records[1 + r * curves_.size() + c];
        if (static_cast<Index>(record.size()) > epoch)
          losses.push_back(record[static_cast<std::size_t>(epoch)]);
      }
      if (losses.empty()) return;
      std::sort(losses.begin(), losses.end());
      curves.add({curves_[c].name, static_cast<double>(epoch), losses[losses.size() / 2],
                  losses.front(), losses.back(), static_cast<double>(losses.size())});
    }
  }

  Index replicates_;
  std::shared_ptr<const Setting> setting_;
  std::shared_ptr<Shared> shared_;
  std::vector<Curve> curves_;
};

std::unique_ptr<Plan> prepare(const Values& values, std::uint64_t seed) {
  return std::make_unique<LearnPlan>(values, seed);
}

const Registration kRegistration(mhla_learn_descriptor(), prepare);

}  // namespace
}  // namespace attnlab::experiments

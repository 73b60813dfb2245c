#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "experiments/needle_finite_sample.h"
#include "experiments/needle_setup.h"
#include "needle/bayes_evolution.h"
#include "needle/state_evolution.h"

namespace attnlab::experiments {
namespace {

using needle::Kernel;
using needle::Verdict;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
enum Purpose : std::uint64_t { kErm = 0x4e31, kBayes, kData };

// One stream of the state evolution. Record: verdict, risk, replicon, iterations, training loss,
// and the six order parameters.
class ErmTask final : public PiecewiseTask {
 public:
  ErmTask(std::shared_ptr<const FiniteSample> sample, Kernel kernel, const Piece& piece)
      : sample_(std::move(sample)), kernel_(kernel), piece_(piece) {}

  double progress() const override { return evolution_ ? evolution_->progress() : 0.0; }
  Record record() const override { return record_; }

 private:
  bool advance() override {
    const auto problem = sample_->erm(sample_->ratios[piece_.place], kernel_);
    if (!start_) start_.emplace(problem, sample_->start);
    if (!evolution_) {
      if (!start_->step()) return false;
      needle::ErmOptions options;
      options.samples = sample_->theory_samples;
      evolution_ = std::make_unique<needle::ErmEvolution>(
          problem, options, start_->order(),
          RandomStream(sample_->seed,
                       stream_of({kErm, piece_.place, static_cast<std::uint64_t>(piece_.round),
                                  static_cast<std::uint64_t>(kernel_)})));
      return false;
    }
    if (!evolution_->step()) return false;
    const bool converged = evolution_->verdict() == Verdict::kConverged;
    const needle::ErmOrder& o = evolution_->order();
    record_ = {static_cast<double>(evolution_->verdict()),
               converged ? evolution_->risk() : kNaN,
               evolution_->replicon(),
               static_cast<double>(evolution_->iterations()),
               evolution_->train_loss(),
               o.key,
               o.key_power,
               o.key_variance,
               o.value,
               o.value_power,
               o.value_variance};
    return true;
  }

  std::shared_ptr<const FiniteSample> sample_;
  Kernel kernel_;
  Piece piece_;
  std::optional<needle::ErmStart> start_;
  std::unique_ptr<needle::ErmEvolution> evolution_;
  Record record_;
};

// One stream of the Bayes-optimal evolution. Record: verdict, risk.
class BayesTask final : public PiecewiseTask {
 public:
  BayesTask(std::shared_ptr<const FiniteSample> sample, const Piece& piece)
      : sample_(std::move(sample)), piece_(piece) {}

  double progress() const override { return evolution_ ? evolution_->progress() : 0.0; }
  Record record() const override { return record_; }

 private:
  bool advance() override {
    if (!evolution_) {
      needle::BayesOptions options;
      options.samples = std::max<Index>(1000, sample_->theory_samples / 2);
      evolution_ = std::make_unique<needle::BayesEvolution>(
          sample_->problem, sample_->ratios[piece_.place], options,
          needle::bayes_start(sample_->start),
          RandomStream(sample_->seed, stream_of({kBayes, piece_.place,
                                                 static_cast<std::uint64_t>(piece_.round)})));
      return false;
    }
    if (!evolution_->step()) return false;
    record_ = {static_cast<double>(evolution_->verdict()), evolution_->risk()};
    return true;
  }

  std::shared_ptr<const FiniteSample> sample_;
  Piece piece_;
  std::unique_ptr<needle::BayesEvolution> evolution_;
  Record record_;
};

// One data set and its minimum. Record: risk, training loss, m_k, m_v.
class TrainTask final : public PiecewiseTask {
 public:
  TrainTask(std::shared_ptr<const FiniteSample> sample, Kernel kernel, const Piece& piece)
      : sample_(std::move(sample)), kernel_(kernel), piece_(piece) {}

  double progress() const override { return simulation_ ? simulation_->progress() : 0.0; }
  Record record() const override { return record_; }

 private:
  bool advance() override {
    if (!simulation_) {
      // Both kernels learn from the same prompts.
      const std::uint64_t replicate =
          stream_of({kData, piece_.place, static_cast<std::uint64_t>(piece_.round)});
      simulation_ = std::make_unique<needle::ErmSimulation>(
          sample_->erm(sample_->ratios[piece_.place], kernel_), sample_->simulation, sample_->seed,
          replicate);
      return false;
    }
    if (!simulation_->step()) return false;
    const auto& result = simulation_->result();
    record_ = {result.risk, result.train_loss, result.overlaps.key, result.overlaps.value};
    simulation_.reset();
    return true;
  }

  std::shared_ptr<const FiniteSample> sample_;
  Kernel kernel_;
  Piece piece_;
  std::unique_ptr<needle::ErmSimulation> simulation_;
  Record record_;
};

}  // namespace

std::unique_ptr<Task> finite_sample_task(std::shared_ptr<const FiniteSample> sample,
                                         const Piece& piece) {
  switch (piece.part) {
    case Part::kTheorySoftmax:
      return std::make_unique<ErmTask>(std::move(sample), Kernel::kSoftmax, piece);
    case Part::kTheoryLinear:
      return std::make_unique<ErmTask>(std::move(sample), Kernel::kLinear, piece);
    case Part::kBayesOptimal:
      return std::make_unique<BayesTask>(std::move(sample), piece);
    case Part::kTrainSoftmax:
      return std::make_unique<TrainTask>(std::move(sample), Kernel::kSoftmax, piece);
    case Part::kTrainLinear:
      return std::make_unique<TrainTask>(std::move(sample), Kernel::kLinear, piece);
  }
  return nullptr;
}

}  // namespace attnlab::experiments

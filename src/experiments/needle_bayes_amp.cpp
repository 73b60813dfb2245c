// needle.bayes-amp: message passing beside its state evolution, and the hard phase.
#include "experiments/needle_bayes_amp.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "core/require.h"
#include "experiments/moments.h"
#include "experiments/needle_setup.h"
#include "experiments/parameters.h"
#include "experiments/registry.h"
#include "needle/bayes_evolution.h"
#include "needle/message_passing.h"
#include "needle/passing_evolution.h"

namespace attnlab::experiments {
namespace {

using needle::Start;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr Start kStarts[] = {Start::kUninformed, Start::kInformed};
enum Purpose : std::uint64_t { kPath = 0x4e41, kSweep, kRun };

struct Passing {
  needle::Problem problem;
  double ratio = 4;
  std::vector<double> ratios;
  needle::AmpOptions amp;
  Index replicates = 0;
  Index samples = 0;
  std::uint64_t seed = 0;

  needle::PassingOptions theory(bool informed) const {
    return {samples, amp.iterations, amp.damping, informed};
  }
};

// The state evolution of one start, iteration by iteration, with AMP's damping. Record: for every
// iteration risk, k.k*/D, v.v*/D.
class PathTask final : public PiecewiseTask {
 public:
  PathTask(std::shared_ptr<const Passing> passing, Start start)
      : passing_(std::move(passing)), start_(start) {}

  double progress() const override {
    return static_cast<double>(record_.size()) /
           static_cast<double>(3 * (passing_->amp.iterations + 1));
  }
  Record record() const override { return record_; }

 private:
  bool advance() override {
    if (!evolution_)
      evolution_ = std::make_unique<needle::PassingEvolution>(
          passing_->problem, passing_->ratio, passing_->theory(start_ == Start::kInformed),
          RandomStream(passing_->seed, stream_of({kPath})));
    const bool ended = evolution_->step();
    for (std::size_t t = record_.size() / 3; t < evolution_->path().size(); ++t) {
      const needle::AmpState& state = evolution_->path()[t];
      record_.insert(record_.end(), {state.risk, state.key, state.value});
    }
    return ended;
  }

  std::shared_ptr<const Passing> passing_;
  Start start_;
  std::unique_ptr<needle::PassingEvolution> evolution_;
  Record record_;
};

// The fixed point of one start at one ratio. Record: verdict, risk, q_k, q_v.
class FixedPointTask final : public PiecewiseTask {
 public:
  FixedPointTask(std::shared_ptr<const Passing> passing, double ratio, Start start)
      : passing_(std::move(passing)), ratio_(ratio), start_(start) {}

  double progress() const override { return evolution_ ? evolution_->progress() : 0.0; }
  Record record() const override { return record_; }

 private:
  bool advance() override {
    if (!evolution_) {
      needle::BayesOptions options;
      options.samples = passing_->samples;
      options.tolerance = 1e-5;
      options.largest_iterations = 1500;  // near the ends of the hard phase it takes long
      evolution_ = std::make_unique<needle::BayesEvolution>(
          passing_->problem, ratio_, options, needle::bayes_start(start_),
          RandomStream(passing_->seed, stream_of({kSweep})));
      return false;
    }
    if (!evolution_->step()) return false;
    record_ = {static_cast<double>(evolution_->verdict()), evolution_->risk(),
               evolution_->order().key, evolution_->order().value};
    return true;
  }

  std::shared_ptr<const Passing> passing_;
  double ratio_;
  Start start_;
  std::unique_ptr<needle::BayesEvolution> evolution_;
  Record record_;
};

// One run of AMP. Record: for every iteration so far risk, k.k*/D, v.v*/D.
class RunTask final : public PiecewiseTask {
 public:
  RunTask(std::shared_ptr<const Passing> passing, Start start, Index replicate)
      : passing_(std::move(passing)), start_(start), replicate_(replicate) {}

  double progress() const override { return run_ ? run_->progress() : 0.0; }
  Record record() const override {
    Record record;
    if (run_)
      for (const auto& state : run_->path())
        record.insert(record.end(), {state.risk, state.key, state.value});
    return record;
  }
  std::optional<std::int64_t> diverged_at() const override {
    if (!run_ || run_->finite()) return std::nullopt;
    return static_cast<std::int64_t>(run_->path().size());
  }

 private:
  bool advance() override {
    if (!run_) {
      needle::AmpOptions options = passing_->amp;
      options.informed = start_ == Start::kInformed;
      run_ = std::make_unique<needle::MessagePassing>(
          passing_->problem, passing_->ratio, options, passing_->seed,
          stream_of({kRun, static_cast<std::uint64_t>(replicate_)}));
      return false;
    }
    return run_->step();
  }

  std::shared_ptr<const Passing> passing_;
  Start start_;
  Index replicate_;
  std::unique_ptr<needle::MessagePassing> run_;
};

class PassingPlan final : public Plan {
 public:
  PassingPlan(const Values& values, std::uint64_t seed)
      : descriptor_(needle_bayes_amp_descriptor()) {
    auto passing = std::make_shared<Passing>();
    passing->problem = needle_problem(text(values, "model"), number(values, "snr"),
                                      count(values, "length"), number(values, "noise"));
    passing->ratio = number(values, "ratio");
    passing->ratios = numbers(values, "ratios");
    std::sort(passing->ratios.begin(), passing->ratios.end());
    passing->amp.dimension = count(values, "dimension");
    passing->amp.damping = number(values, "damping");
    passing->amp.iterations = count(values, "iterations");
    passing->amp.risk_samples = 2000;
    passing->replicates = count(values, "replicates");
    passing->samples = count(values, "theorySamples");
    passing->seed = seed;
    // The data must fit before any work begins.
    require_memory(needle::PassingEvolution::bytes(passing->problem, passing->theory(false)),
                   needle::PassingEvolution::kLargestBytes, "theorySamples");
    static_cast<void>(
        needle::MessagePassing(passing->problem, passing->ratio, passing->amp, seed, 0));
    passing_ = std::move(passing);
  }

  // Two paths, then the runs of both starts, then two fixed points for every ratio.
  std::size_t task_count() const override { return first_sweep() + 2 * passing_->ratios.size(); }
  std::unique_ptr<Task> task(std::size_t number) const override {
    const Start start = kStarts[number % 2];
    if (number < 2) return std::make_unique<PathTask>(passing_, start);
    if (number < first_sweep())
      return std::make_unique<RunTask>(passing_, start, static_cast<Index>((number - 2) / 2));
    return std::make_unique<FixedPointTask>(passing_,
                                            passing_->ratios[(number - first_sweep()) / 2], start);
  }
  double cost(std::size_t number) const override {
    const auto iterations = static_cast<double>(passing_->amp.iterations);
    const auto samples = static_cast<double>(passing_->samples);
    const bool argmax = passing_->problem.model == needle::Model::kMax;
    const double sweep = samples * (argmax ? 4e-3 : 4e-4);
    if (number < 2) return iterations * sweep * (argmax ? 2 : 1);
    if (number >= first_sweep()) return 50 * sweep;
    const auto d = static_cast<double>(passing_->amp.dimension);
    const double prompts = passing_->ratio * d;
    const auto length = static_cast<double>(passing_->problem.lengths.minimum);
    return prompts * length * d * 2e-5 + iterations * (prompts * length * d * 3e-6 + 2);
  }

  Tables summarise(std::span<const Record> records) const override {
    const auto length = static_cast<std::size_t>(passing_->amp.iterations) + 1;
    NumberRows iterations(descriptor_, "iterations");
    for (std::size_t t = 0; t < length; ++t) {
      std::vector<double> row = {static_cast<double>(t)};
      bool anything = false;
      for (std::size_t start = 0; start < 2; ++start) {
        Moments played[3];
        for (std::size_t i = 2 + start; i < first_sweep(); i += 2)
          if (records[i].size() >= 3 * (t + 1))
            for (std::size_t j = 0; j < 3; ++j)
              played[j].add(records[i][3 * t + j]);
        const Record& path = records[start];
        const bool known = path.size() >= 3 * (t + 1);
        for (std::size_t j = 0; j < 3; ++j) {
          const Estimate mean = played[j].mean();
          row.insert(row.end(), {known ? path[3 * t + j] : kNaN, mean.value, mean.error});
        }
        anything = anything || known || played[0].count > 0;
      }
      if (anything) iterations.add(row);
    }
    NumberRows sweep(descriptor_, "sweep");
    double from = kNaN, to = kNaN;
    for (std::size_t p = 0; p < passing_->ratios.size(); ++p) {
      const Record& uninformed = records[first_sweep() + 2 * p];
      const Record& informed = records[first_sweep() + 2 * p + 1];
      const auto risk = [](const Record& r) {
        return !r.empty() && static_cast<int>(r[0]) == static_cast<int>(needle::Verdict::kConverged)
                   ? r[1]
                   : kNaN;
      };
      const double gap = risk(uninformed) - risk(informed);
      if (gap > 0.02) {
        if (std::isnan(from)) from = passing_->ratios[p];
        to = passing_->ratios[p];
      }
      if (!uninformed.empty() || !informed.empty())
        sweep.add({passing_->ratios[p], risk(uninformed), risk(informed), gap});
    }
    NumberRows summary(descriptor_, "summary");
    const auto last = [&](std::size_t task) {
      return records[task].size() >= 3 ? records[task][records[task].size() - 3] : kNaN;
    };
    Moments end;
    for (std::size_t i = 2; i < first_sweep(); i += 2)
      if (records[i].size() == 3 * length) end.add(records[i][3 * (length - 1)]);
    summary.add({passing_->ratio, last(0), last(1), end.mean().value, end.mean().error, from, to,
                 needle::bayes_risk(passing_->problem).risk});
    return {iterations.take(), sweep.take(), summary.take()};
  }

 private:
  std::size_t first_sweep() const { return 2 + 2 * static_cast<std::size_t>(passing_->replicates); }

  const Descriptor& descriptor_;
  std::shared_ptr<const Passing> passing_;
};

std::unique_ptr<Plan> prepare(const Values& values, std::uint64_t seed) {
  return std::make_unique<PassingPlan>(values, seed);
}

const Registration kRegistration(kNeedleBayesAmp, needle_bayes_amp_descriptor, prepare);

}  // namespace
}  // namespace attnlab::experiments

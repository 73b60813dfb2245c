// What a state evolution starts from, and the mean over its streams.
#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/require.h"
#include "needle/state_evolution.h"

namespace attnlab::needle {

void validate(const ErmProblem& problem) {
  validate(problem.problem);
  if (!problem.problem.lengths.fixed())
    fail(ErrorCode::kDomain, "length", "the state evolution is for one length");
  require_range(static_cast<double>(problem.problem.lengths.minimum), 1,
                static_cast<double>(kLargestEvolutionLength), "length");
  if (problem.kernel != Kernel::kSoftmax && problem.kernel != Kernel::kLinear)
    fail(ErrorCode::kDomain, "kernel", "the state evolution knows softmax and linear");
  require_range(problem.ratio, 0.01, 1000, "ratio");
  require_range(problem.ridge_keys, 1e-3, 1000, "ridgeKeys");
  require_range(problem.ridge_values, 1e-3, 1000, "ridgeValues");
}

void StreamRisks::add(double risk) {
  ++count_;
  sum_ += risk;
  squares_ += risk * risk;
}

double StreamRisks::mean() const {
  return sum_ / count_;
}

double StreamRisks::standard_error() const {
  if (count_ < 2) return std::nan("");
  return std::sqrt(std::fmax(0.0, squares_ / count_ - mean() * mean()) / (count_ - 1));
}

std::string_view verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::kRunning:
      return "running";
    case Verdict::kConverged:
      return "converged";
    case Verdict::kNotSettled:
      return "not-settled";
    case Verdict::kUnstable:
      return "unstable";
    case Verdict::kDiverged:
      return "diverged";
  }
  return "";
}

namespace {

// Softmax with nu = Infinity wants an infinite scale; any finite one of this size will do.
constexpr double kLargestStartScale = 2.0;
constexpr ErmOrder kUninformedOrder = {0.1, 0.5, 1, 0.1, 0.5, 1};

ErmOrder informed_order(const OptimalRisk& best) {
  return {best.scale,
          1.3 * best.scale * best.scale + 0.01,
          1,
          0.9 * best.output,
          best.output * best.output,
          0.3};
}

const ErmProblem& checked(const ErmProblem& problem) {
  validate(problem);
  return problem;
}

}  // namespace

ErmStart::ErmStart(const ErmProblem& problem, Start start) : order_(kUninformedOrder) {
  if (start == Start::kInformed)
    search_.emplace(problem.problem, problem.kernel, kLargestStartScale);
}

bool ErmStart::step() {
  if (!search_) return true;
  if (!search_->step()) return false;
  order_ = informed_order(search_->result());
  search_.reset();
  return true;
}

ErmStreams::ErmStreams(const ErmProblem& problem, const ErmOptions& options, Start start,
                       Index streams, std::uint64_t seed)
    : problem_(checked(problem)),
      options_(options),
      streams_(streams),
      seed_(seed),
      start_(problem, start) {
  require_range(static_cast<double>(streams), 1, 1000, "streams");
  result_.order = {0, 0, 0, 0, 0, 0};
}

double ErmStreams::progress() const {
  const double part = evolution_ ? evolution_->progress() : 0.0;
  return done_ ? 1.0 : (static_cast<double>(ended_) + part) / static_cast<double>(streams_);
}

bool ErmStreams::step() {
  if (done_) return true;
  if (!started_) {
    started_ = start_.step();
    return false;
  }
  if (!evolution_) {
    evolution_.emplace(
        problem_, options_, start_.order(),
        RandomStream(seed_, stream_of({0x45524d, static_cast<std::uint64_t>(ended_)})));
    return false;
  }
  if (!evolution_->step()) return false;
  result_.iterations = std::max(result_.iterations, evolution_->iterations());
  if (evolution_->verdict() != Verdict::kConverged) {
    result_.replicon = evolution_->replicon();
    result_.order = evolution_->order();
    return end(evolution_->verdict());
  }
  add(*evolution_);
  evolution_.reset();
  if (++ended_ < streams_) return false;
  if (result_.replicon > kLargestReplicon) return end(Verdict::kUnstable);
  return end(Verdict::kConverged);
}

void ErmStreams::add(const ErmEvolution& evolution) {
  const auto n = static_cast<double>(streams_);
  risks_.add(evolution.risk());
  result_.train_loss += evolution.train_loss() / n;
  result_.replicon += evolution.replicon() / n;
  const ErmOrder& o = evolution.order();
  ErmOrder& mean = result_.order;
  mean.key += o.key / n;
  mean.key_power += o.key_power / n;
  mean.key_variance += o.key_variance / n;
  mean.value += o.value / n;
  mean.value_power += o.value_power / n;
  mean.value_variance += o.value_variance / n;
}

bool ErmStreams::end(Verdict verdict) {
  const bool converged = verdict == Verdict::kConverged;
  result_.verdict = verdict;
  result_.risk = converged ? risks_.mean() : std::nan("");
  result_.standard_error = converged ? risks_.standard_error() : std::nan("");
  return done_ = true;
}

ErmResult erm_state_evolution(const ErmProblem& problem, const ErmOptions& options, Start start,
                              Index streams, std::uint64_t seed) {
  ErmStreams all(problem, options, start, streams, seed);
  while (!all.step()) {
  }
  return all.result();
}

}  // namespace attnlab::needle

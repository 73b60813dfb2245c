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
  if (count_ < 2) return 0;
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

ErmOrder erm_start(const ErmProblem& problem, Start start) {
  if (start == Start::kUninformed) return {0.1, 0.5, 1, 0.1, 0.5, 1};
  // Softmax with nu = Infinity wants an infinite scale; any finite one of this size will do.
  const OptimalRisk best = optimal_risk(problem.problem, problem.kernel, 2.0);
  return {best.scale,
          1.3 * best.scale * best.scale + 0.01,
          1,
          0.9 * best.output,
          best.output * best.output,
          0.3};
}

ErmResult erm_state_evolution(const ErmProblem& problem, const ErmOptions& options, Start start,
                              Index streams, std::uint64_t seed) {
  require_range(static_cast<double>(streams), 1, 1000, "streams");
  validate(problem);
  const ErmOrder first = erm_start(problem, start);
  ErmResult result;
  result.verdict = Verdict::kConverged;
  StreamRisks risks;
  ErmOrder total{0, 0, 0, 0, 0, 0};
  for (Index i = 0; i < streams; ++i) {
    ErmEvolution evolution(
        problem, options, first,
        RandomStream(seed, stream_of({0x45524d, static_cast<std::uint64_t>(i)})));
    while (!evolution.step()) {
    }
    result.iterations = std::max(result.iterations, evolution.iterations());
    if (evolution.verdict() != Verdict::kConverged) {
      result.verdict = evolution.verdict();
      result.order = evolution.order();
      result.replicon = evolution.replicon();
      result.risk = result.standard_error = std::nan("");
      return result;
    }
    risks.add(evolution.risk());
    result.train_loss += evolution.train_loss() / static_cast<double>(streams);
    result.replicon += evolution.replicon() / static_cast<double>(streams);
    const ErmOrder& o = evolution.order();
    total.key += o.key;
    total.key_power += o.key_power;
    total.key_variance += o.key_variance;
    total.value += o.value;
    total.value_power += o.value_power;
    total.value_variance += o.value_variance;
  }
  const auto n = static_cast<double>(streams);
  if (result.replicon > kLargestReplicon) {
    result.verdict = Verdict::kUnstable;
    result.risk = result.standard_error = std::nan("");
    return result;
  }
  result.risk = risks.mean();
  result.standard_error = risks.standard_error();
  result.order = {total.key / n,   total.key_power / n,   total.key_variance / n,
                  total.value / n, total.value_power / n, total.value_variance / n};
  return result;
}

}  // namespace attnlab::needle

// What needle.finite-sample says of itself, and its tasks.
#pragma once

#include <memory>
#include <vector>

#include "experiments/descriptor.h"
#include "experiments/run.h"
#include "needle/erm_simulation.h"

namespace attnlab::experiments {

inline constexpr Identity kNeedleFiniteSample = {"needle.finite-sample", "needle", 3};
const Descriptor& needle_finite_sample_descriptor();

// What all tasks share.
struct FiniteSample {
  needle::Problem problem;
  std::vector<double> ratios;
  double ridge_keys = 1, ridge_values = 1;
  Index theory_samples = 0, theory_streams = 0;
  needle::ErmSimulationOptions simulation;
  Index replicates = 0;
  needle::Start start = needle::Start::kInformed;
  std::uint64_t seed = 0;

  needle::ErmProblem erm(double ratio, needle::Kernel kernel) const {
    return {problem, kernel, ratio, ridge_keys, ridge_values};
  }
};

// What a task computes.
enum class Part { kTheorySoftmax, kTheoryLinear, kBayesOptimal, kTrainSoftmax, kTrainLinear };
struct Piece {
  Part part;
  std::size_t place;  // of the ratio
  Index round;        // stream or replicate
};

// Records once it has ended:
//   theory         verdict, risk, replicon, iterations, training loss, and the six order parameters
//   Bayes-optimal  verdict, risk
//   training       risk, training loss, m_k, m_v
std::unique_ptr<Task> finite_sample_task(std::shared_ptr<const FiniteSample> sample,
                                         const Piece& piece);

}  // namespace attnlab::experiments

// Ridge-regularised empirical risk minimisation on drawn data at finite D: the simulation beside
// the state evolution (arXiv 2509.21936, Section 5). The loss is that of needle/state_evolution.h,
//   sum_n (y_n - f(X_n))^2/2 + r_k/2 |k|^2 + r_v/2 |v|^2,   N = round(alpha D).
#pragma once

#include <optional>

#include "needle/monte_carlo_risk.h"
#include "needle/sampler.h"
#include "needle/state_evolution.h"
#include "optimize/gradient_descent.h"
#include "optimize/lbfgs.h"

namespace attnlab::needle {

enum class Trainer { kLbfgs, kGradientDescent };

struct ErmSimulationOptions {
  Index dimension = 150;  // D in [2, 4000]
  Start start = Start::kInformed;
  Trainer trainer = Trainer::kLbfgs;
  Index largest_evaluations = 1500;
  double rate = 0.3;           // gradient descent: step = rate/(N/D) on the loss above
  Index risk_samples = 20000;  // prompts for the test error
};

struct ErmSimulationResult {
  double risk = 0;        // excess test error
  double train_loss = 0;  // data part of the loss over N
  double energy = 0;      // whole loss over N
  Overlaps overlaps;
  Index evaluations = 0;
  optimize::StopReason reason = optimize::StopReason::kRunning;
};

// One data set and its minimisation, in slices of a few milliseconds. A pure function of its
// arguments. Memory 8 N L D bytes; throws kTooLarge ("dimension") above 512 MiB.
class ErmSimulation {
 public:
  ErmSimulation(const ErmProblem& problem, const ErmSimulationOptions& options, std::uint64_t seed,
                std::uint64_t replicate);

  // True once it has ended.
  bool step();
  double progress() const;
  const ErmSimulationResult& result() const { return result_; }

 private:
  void draw_some();
  void find_start();
  void evaluate_some();
  void begin_search(const ErmOrder* informed);
  void finish();

  ErmProblem problem_;
  ErmSimulationOptions options_;
  RandomStream random_;
  std::uint64_t seed_, replicate_;
  Teacher teacher_;
  DataSet data_;
  std::optional<ErmStart> start_;
  std::optional<optimize::Lbfgs> lbfgs_;
  std::optional<optimize::GradientDescent> descent_;
  Vector gradient_;
  double value_ = 0, data_loss_ = 0;
  Index evaluated_ = 0;
  bool done_ = false;
  ErmSimulationResult result_;
};

}  // namespace attnlab::needle

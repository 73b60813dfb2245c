// What needle.training says of itself, and its tasks.
#pragma once

#include <memory>
#include <vector>

#include "experiments/descriptor.h"
#include "experiments/run.h"
#include "needle/token_training.h"

namespace attnlab::experiments {

inline constexpr Identity kNeedleTraining = {"needle.training", "needle", 5};
const Descriptor& needle_training_descriptor();

// What all tasks share.
struct TokenTraining {
  needle::TokenModel model;
  needle::LambdaSchedule schedule;
  double rate = 0;
  Index steps = 0;
  bool on_manifold = true;
  double start_key = 0, start_value = 0;
  Index batch = 0, replicates = 0;
  double noise = 0;
  std::uint64_t seed = 0;

  // Steps at which a path is noted: 0 and powers up to the last, at most kPoints of them.
  std::vector<Index> noted() const;
};

// k and v uniform on the sphere, as overlaps.
needle::TokenOverlaps sphere_start(const TokenTraining& training);

// Records of all three: for every noted step so far the step, kappa, nu, theta, eta, rho.
constexpr std::size_t kNotedNumbers = 6;
// Projected gradient descent in overlaps, exact in R^d.
std::unique_ptr<Task> descent_task(std::shared_ptr<const TokenTraining> training,
                                   const needle::TokenOverlaps& start);
// The gradient flow on the manifold.
std::unique_ptr<Task> flow_task(std::shared_ptr<const TokenTraining> training, double key,
                                double value);
// Stochastic descent on prompts.
std::unique_ptr<Task> stochastic_task(std::shared_ptr<const TokenTraining> training,
                                      Index replicate);

}  // namespace attnlab::experiments

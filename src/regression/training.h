// Training of one softmax head on finite prompts (arXiv 2512.11784, Section 6; beside the flow of
// infinitely many tokens, Theorem 4.3).
#pragma once

#include "regression/finite_prompt.h"

namespace attnlab::regression {

enum class Trainer {
  kFlow,     // Runge-Kutta steps of the gradient flow of finite_prompt_risk on one frozen batch
  kDescent,  // stochastic gradient descent, a fresh batch a step
  kAdamW     // Adam with decoupled weight decay (arXiv 1711.05101), a fresh batch a step
};

struct TrainingOptions {
  Trainer trainer = Trainer::kFlow;
  double rate = 0.05;       // learning rate; the time step of the flow
  double weight_decay = 0;  // AdamW only
  Index batch = 200;        // prompts a step
  Index length = 64;        // L
  PromptLaw law;
  std::uint64_t seed = 0;
  std::uint64_t stream = 0;  // tells runs of one seed apart
};

// State: the head, the step count and AdamW's averages. A pure function of (options, start, step).
class HeadTraining {
 public:
  HeadTraining(const TrainingOptions& options, const Head& start);
  // One step. Returns false, and keeps the last finite head, once a number is not finite.
  bool step();
  const Head& head() const { return head_; }
  Index steps() const { return steps_; }
  // Loss on the batch of the last step, before it; of the flow, the risk estimated from it.
  double loss() const { return loss_; }

 private:
  Prompts batch_of(Index step) const;
  Head flowed();
  Head trained();

  TrainingOptions options_;
  Head head_;
  Prompts frozen_;
  Head first_, second_;  // AdamW's running means of the gradient and of its square
  Index steps_ = 0;
  double loss_ = 0;
};

}  // namespace attnlab::regression

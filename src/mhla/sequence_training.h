// Mini-batch AdamW on a sequence model.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/random.h"
#include "mhla/prompts.h"
#include "mhla/sequence_model.h"
#include "optimize/adamw.h"

namespace attnlab::mhla {

struct SequenceTrainingOptions {
  optimize::AdamWOptions adamw;
  optimize::Schedule schedule = optimize::Schedule::kConstant;
  Index epochs = 20;
  Index batch = 32;
};

class SequenceTraining {
 public:
  // targets: a row a token of the sequences.
  SequenceTraining(std::shared_ptr<const SequenceModel> model,
                   std::shared_ptr<const Prompts> sequences, std::shared_ptr<const Matrix> targets,
                   const SequenceTrainingOptions& options, std::uint64_t seed,
                   std::uint64_t replicate);

  bool step();  // one sequence; true at the end or when it diverged
  Index epoch() const { return epoch_; }
  double progress() const;
  // Mean squared error a token: at the start over the first batch, then over each epoch while it
  // is trained, as training logs have it.
  const std::vector<double>& losses() const { return losses_; }
  bool diverged() const { return diverged_; }
  Index steps() const { return search_.steps(); }

 private:
  void begin_epoch();

  std::shared_ptr<const SequenceModel> model_;
  std::shared_ptr<const Prompts> sequences_;
  std::shared_ptr<const Matrix> targets_;
  SequenceTrainingOptions options_;
  RandomStream random_;
  optimize::AdamW search_;
  std::vector<Index> order_;
  std::vector<double> losses_;
  Vector gradient_;
  double sum_ = 0;
  Index epoch_ = 0, next_ = 0;
  bool diverged_ = false;
};

}  // namespace attnlab::mhla

// Training multi-head linear attention by gradient, as section 4.1 of arXiv 2410.10101 does with
// AdamW, beside the solver.
//
// The loss of a batch depends on the heads only through C = p(Theta):
//     mean |(C - C*) H|^2 = tr (C - C*) Lambda_batch (C - C*)^T
// for targets C* H. So a sequence is kept as the second moment of its features, a batch is a sum
// of those, and a step costs no pass over tokens. The iterates are those of training on the tokens
// up to rounding; residuals keep their relative accuracy, so the loss can fall to rounding level.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/random.h"
#include "core/types.h"
#include "mhla/head_vector.h"
#include "mhla/prompts.h"
#include "optimize/adamw.h"

namespace attnlab::mhla {

enum class Reading { kLast, kPrefix };  // one target a sequence, or one a token

// Moments of every sequence and of all, for one set of data.
struct SequenceMoments {
  Index dimension = 0;
  Index samples_each = 0;
  Matrix packed;           // sequences x psi (psi + 1) / 2, lower triangles row by row
  Eigen::MatrixXd lambda;  // psi x psi, the mean over all samples
  Index done = 0;          // sequences taken in so far
};
// Equal lengths only. Memory 4 psi^2 bytes a sequence; throws kTooLarge ("sequences").
SequenceMoments begin_sequence_moments(const Prompts& prompts, Reading reading);
// Takes in some sequences, about `work` multiply-adds; true when all are in.
bool add_sequence_moments(SequenceMoments& moments, const Prompts& prompts, Reading reading,
                          double work);
SequenceMoments sequence_moments(const Prompts& prompts, Reading reading);

struct HeadTrainingOptions {
  optimize::AdamWOptions adamw;
  optimize::Schedule schedule = optimize::Schedule::kConstant;
  Index epochs = 500;
  Index batch = 32;  // sequences
};

class HeadTraining {
 public:
  // truth: d_out x psi. start: packed heads.
  HeadTraining(std::shared_ptr<const SequenceMoments> data, Matrix truth, HeadShape shape,
               Vector start, const HeadTrainingOptions& options, std::uint64_t seed,
               std::uint64_t replicate);

  // Some batches, about a million multiply-adds; true at the end or when it diverged.
  bool step();
  Index epoch() const { return epoch_; }
  // Mean squared error over all samples at the start and after each epoch done.
  const std::vector<double>& losses() const { return losses_; }
  bool diverged() const { return diverged_; }
  Index steps() const { return search_.steps(); }
  Heads heads() const { return unpack(search_.point(), shape_); }

 private:
  double loss();
  void begin_epoch();

  std::shared_ptr<const SequenceMoments> data_;
  Matrix truth_;
  HeadShape shape_;
  HeadTrainingOptions options_;
  optimize::AdamW search_;
  RandomStream random_;
  std::vector<Index> order_;
  std::vector<double> losses_;
  Vector sum_, gradient_;
  Matrix error_, slope_;
  Eigen::MatrixXd lambda_;
  Index epoch_ = 0, next_ = 0;
  bool diverged_ = false;
};

}  // namespace attnlab::mhla

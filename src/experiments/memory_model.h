// A model of the associative memory learned from examples, asked one prompt: for mhla.memory.
#pragma once

#include <memory>

#include "experiments/run.h"
#include "mhla/associative_memory.h"

namespace attnlab::experiments {

struct MemoryStudy {
  mhla::MemoryOptions data;  // of the prompts to learn from
  Index samples = 0;
  double null_size = 0;
  Matrix prompt;  // to ask, n x 2d
  std::uint64_t seed = 0;
};

// What the task has found; Vectors are empty until then.
struct MemoryModel {
  bool determined = false;
  double residual = 0;
  double rank = 0, features = 0, minimum_eigenvalue = 0;
  double training_error = 0, other_training_error = 0;  // relative to the targets' variance
  Vector output, other_output;                          // 2d, least norm and with the null vector
  Vector weights, other_weights;                        // n, what is taken from each token
};

// Least squares on the data, their certificate, and a random null vector of length null_size added
// to the coefficients where there is one.
std::unique_ptr<Task> memory_task(std::shared_ptr<const MemoryStudy> study);
MemoryModel memory_model(const MemoryStudy& study, const Record& record);

}  // namespace attnlab::experiments

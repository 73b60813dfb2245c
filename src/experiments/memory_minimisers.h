// The set of minimisers on one data set of the associative memory: how far from the truth several
// ways of training end, all with the same training loss or nearly so.
#pragma once

#include <cstdint>
#include <memory>

#include "experiments/run.h"
#include "mhla/associative_memory.h"

namespace attnlab::experiments {

struct MinimiserStudy {
  Index key_dimension = 4, samples = 16384;
  double noise = 0.1;      // standard deviation of the labels' noise
  double start = 0.05;     // of the coefficients of a random start
  Index unfinished = 200;  // steps of gradient descent, of length 1 / lambda_max, from 0
  std::uint64_t seed = 1;
};

// A record of the task, by place.
enum MinimiserField : std::size_t {
  kSmallestEigenvalue,
  kLargestEigenvalue,
  kRank,
  kExactDistance,       // |p - p*|_F of least squares of least norm
  kStartDistance,       // trained to the end from a random start
  kNoiseDistance,       // least squares on noisy labels
  kUnfinishedDistance,  // gradient descent stopped early
  kStartGap,            // RMS difference of outputs to the truth's off the data, random start
  kOwnDetermined,       // share of fresh prompts of the same kind that are determined
  kOtherDetermined,     // of Gaussian prompts
  kOtherLeverage,       // median leverage of determined Gaussian prompts; NaN if there is none
  kMinimiserFields
};

// The data: this share of the prompts is Gaussian, the others have orthogonal keys and values.
std::unique_ptr<Task> minimiser_task(const MinimiserStudy& study, double gaussian_share);

}  // namespace attnlab::experiments

// From scores to weights, a row of a block at a time.
#pragma once

#include <limits>

#include "attention/attention.h"
#include "core/types.h"

namespace attnlab::attention {

// What a query has seen of its keys so far. Weights are kept as multiples of e^reference, so that
// exponentials of large scores never overflow nor all vanish; reference stays 0 for kernels
// without an exponential tail.
template <class Scalar>
struct RowState {
  Scalar reference = -std::numeric_limits<Scalar>::infinity();
  double total = 0;  // what the sum over tokens is divided by, without its factor e^reference
};

// A row of scores of consecutive tokens; width is a multiple of the panel's width. Entries from
// `seen` on are hidden (causal) or padding and get the weight 0. counts and log_counts are the
// token weights and their logarithms, or null where all are one.
template <class Scalar>
struct ScoreRow {
  Scalar* scores;
  Index width;
  Index seen;
  const Scalar* counts;
  const Scalar* log_counts;
};

// Turns scores into weights c_j f(s_j) e^-reference and adds them to the state, whose reference
// may grow. Returns the factor that earlier sums must be multiplied by (1: leave them alone).
template <class Scalar>
Scalar accumulate_row(const ScoreRow<Scalar>& row, const Options& options, RowState<Scalar>& state);

// With the final state: scores become weights w_j, slopes become c_j f'(s_j) / total, so that the
// derivative of sum_j w_j x_j along s_j is slope_j (x_j - normalised_mean).
template <class Scalar>
void weigh_row(const ScoreRow<Scalar>& row, Scalar* slopes, const Options& options,
               const RowState<Scalar>& state);

// 1 / total; 0 where all weights are 0 (relu).
template <class Scalar>
Scalar normaliser(const RowState<Scalar>& state);

// Whether the weights are divided by their own sum, which then takes part in the gradient.
bool divides_by_sum(Kernel kernel);

}  // namespace attnlab::attention

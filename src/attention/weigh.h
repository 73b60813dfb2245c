// From scores to weights, for a strip of queries on a block of tokens at a time.
#pragma once

#include <array>
#include <limits>

#include "attention/attention.h"
#include "attention/tile.h"
#include "core/types.h"

namespace attnlab::attention {

// One number for each query of a strip, which is a panel's width of queries.
template <class Scalar>
using StripOf = std::array<Scalar, static_cast<std::size_t>(kPanelWidth<Scalar>)>;

// What the queries of a strip have seen of their keys so far. Weights are kept as multiples of
// e^reference, so that exponentials of large scores never overflow nor all vanish; reference stays
// 0 for kernels without an exponential tail.
template <class Scalar>
struct StripState {
  StripState() { reference.fill(-std::numeric_limits<Scalar>::infinity()); }

  StripOf<Scalar> reference;
  // What the sums over tokens are divided by, without their factor e^reference.
  std::array<double, static_cast<std::size_t>(kPanelWidth<Scalar>)> total{};
};

// Scores of a strip: those of token j follow each other at scores + j stride. Query c sees the
// tokens before seen[c]; the others get the weight 0. counts and log_counts are the token weights
// and their logarithms, or null where all are one.
template <class Scalar>
struct ScoreStrip {
  Scalar* scores;
  Index stride;
  Index count;  // of tokens
  std::array<Index, static_cast<std::size_t>(kPanelWidth<Scalar>)> seen;
  const Scalar* counts;
  const Scalar* log_counts;
};

// Turns scores into weights c_j f(s_j) e^-reference and adds them to the state, whose references
// may grow. Returns the factors that earlier sums must be multiplied by (1: leave them alone).
template <class Scalar>
StripOf<Scalar> accumulate_strip(const ScoreStrip<Scalar>& strip, const Options& options,
                                 StripState<Scalar>& state);

// With the final state: scores become weights w_j and, where there are to be slopes (of the same
// stride), slopes become c_j f'(s_j) / total, so that the derivative of sum_j w_j x_j along s_j is
// slope_j (x_j - normalised_mean).
template <class Scalar>
void weigh_strip(const ScoreStrip<Scalar>& strip, Scalar* slopes, const Options& options,
                 const StripState<Scalar>& state);

// 1 / total; 0 where all weights are 0 (relu).
template <class Scalar>
Scalar normaliser(double total);

// Whether the weights are divided by their own sum, which then takes part in the gradient.
bool divides_by_sum(Kernel kernel);

}  // namespace attnlab::attention

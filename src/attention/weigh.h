// From scores to weights, for a strip of queries on a block of tokens at a time.
#pragma once

#include "attention/attention.h"
#include "attention/strip.h"

namespace attnlab::attention {

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

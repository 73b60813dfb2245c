// Weights of the kernels that are no softmax, and their derivatives.
#pragma once

#include "attention/attention.h"
#include "attention/strip.h"

namespace attnlab::attention {

// scores become factor c_j f(s_j) e^-reference; hidden tokens get 0. References count for softplus
// alone, whose scores may all lie in its tail: those of such a query are below 0.
template <class Scalar>
void apply_kernel(const ScoreStrip<Scalar>& strip, const StripOf<Scalar>& factors,
                  const Options& options, const StripOf<Scalar>& references);

// slopes, which lie as the scores do, become factor c_j f'(s_j) e^-reference.
template <class Scalar>
void apply_slope(const ScoreStrip<Scalar>& strip, Scalar* slopes, const StripOf<Scalar>& factors,
                 const Options& options, const StripOf<Scalar>& references);

}  // namespace attnlab::attention

// Weights of samples and what they do to averages.
#pragma once

#include "core/types.h"

namespace attnlab::mhla {

// Empty, or `count` finite entries >= 0, not all 0. Throws with the name "weights".
void require_weights(const Vector& weights, Index count);

// The same weights times a power of 4 that brings the largest into [1, 4): only their ratios count,
// and products with them stay in range. Roots of them change by a power of 2, so nothing is
// rounded.
Vector scaled_weights(const Vector& weights);

// Weighted mean of |y - mean y|^2 over the rows; empty weights are ones.
double target_variance(const MatrixRef& targets, const Vector& weights);

}  // namespace attnlab::mhla

// A gradient of single-location regression.
#pragma once

#include "work.h"

namespace attnlab::bench {

// Sum over the prompts of (f(X) - y)^2 / 2 for the softmax predictor, and its gradient.
std::unique_ptr<Work> make_needle_gradient(int prompts, int dimension);

}  // namespace attnlab::bench

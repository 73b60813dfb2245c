// What regression.two-heads says of itself; apart from its computation because both are long.
#pragma once

#include "experiments/descriptor.h"

namespace attnlab::experiments {

inline constexpr Identity kRegressionTwoHeads = {"regression.two-heads", "large-prompt", 80};
const Descriptor& regression_two_heads_descriptor();

}  // namespace attnlab::experiments

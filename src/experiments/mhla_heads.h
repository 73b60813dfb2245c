// What mhla.heads says of itself; apart from its computation because both are long.
#pragma once

#include "experiments/descriptor.h"

namespace attnlab::experiments {

inline constexpr Identity kMhlaHeads = {"mhla.heads", "mhla", 30};
const Descriptor& mhla_heads_descriptor();

}  // namespace attnlab::experiments

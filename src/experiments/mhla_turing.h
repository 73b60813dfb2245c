// What mhla.turing says of itself; apart from its computation because both are long.
#pragma once

#include "experiments/descriptor.h"

namespace attnlab::experiments {

inline constexpr Identity kMhlaTuring = {"mhla.turing", "mhla", 70};
const Descriptor& mhla_turing_descriptor();

}  // namespace attnlab::experiments

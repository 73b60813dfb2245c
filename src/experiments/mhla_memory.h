// What mhla.memory says of itself; apart from its computation because both are long.
#pragma once

#include "experiments/descriptor.h"

namespace attnlab::experiments {

inline constexpr Identity kMhlaMemory = {"mhla.memory", "mhla", 50};
const Descriptor& mhla_memory_descriptor();

}  // namespace attnlab::experiments

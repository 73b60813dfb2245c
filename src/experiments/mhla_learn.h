// What mhla.learn says of itself; apart from its computation because both are long.
#pragma once

#include "experiments/descriptor.h"

namespace attnlab::experiments {

inline constexpr Identity kMhlaLearn = {"mhla.learn", "mhla", 10};
const Descriptor& mhla_learn_descriptor();

}  // namespace attnlab::experiments

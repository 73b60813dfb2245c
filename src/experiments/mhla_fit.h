// What mhla.fit says of itself; apart from its computation because both are long.
#pragma once

#include "experiments/descriptor.h"

namespace attnlab::experiments {

inline constexpr Identity kMhlaFit = {"mhla.fit", "mhla", 90};
const Descriptor& mhla_fit_descriptor();

}  // namespace attnlab::experiments

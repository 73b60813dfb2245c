// What mhla.bowl says of itself; apart from its computation because both are long.
#pragma once

#include "experiments/descriptor.h"

namespace attnlab::experiments {

// The picture is [-reach, reach]^2.
inline constexpr double kBowlReach = 3;

inline constexpr Identity kMhlaBowl = {"mhla.bowl", "mhla", 20};
const Descriptor& mhla_bowl_descriptor();

}  // namespace attnlab::experiments

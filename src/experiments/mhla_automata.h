// What mhla.automata says of itself; apart from its computation because both are long.
#pragma once

#include "experiments/descriptor.h"

namespace attnlab::experiments {

inline constexpr Identity kMhlaAutomata = {"mhla.automata", "mhla", 60};
const Descriptor& mhla_automata_descriptor();

}  // namespace attnlab::experiments

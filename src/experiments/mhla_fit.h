// What mhla.fit says of itself; apart from its computation because both are long.
#pragma once

#include "experiments/descriptor.h"

namespace attnlab::experiments {

const Descriptor& mhla_fit_descriptor();

}  // namespace attnlab::experiments

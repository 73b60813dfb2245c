// What needle.finite-sample says of itself.
#pragma once

#include "experiments/descriptor.h"

namespace attnlab::experiments {

const Descriptor& needle_finite_sample_descriptor();

}  // namespace attnlab::experiments

// What needle.training says of itself.
#pragma once

#include "experiments/descriptor.h"

namespace attnlab::experiments {

const Descriptor& needle_training_descriptor();

}  // namespace attnlab::experiments

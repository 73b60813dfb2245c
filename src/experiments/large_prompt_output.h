// What large-prompt.output says of itself; apart from its computation because both are long.
#pragma once

#include "experiments/descriptor.h"

namespace attnlab::experiments {

const Descriptor& large_prompt_output_descriptor();

}  // namespace attnlab::experiments

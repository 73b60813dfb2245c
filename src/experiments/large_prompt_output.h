// What large-prompt.output says of itself; apart from its computation because both are long.
#pragma once

#include "experiments/descriptor.h"

namespace attnlab::experiments {

inline constexpr Identity kLargePromptOutput = {"large-prompt.output", "large-prompt", 10};
const Descriptor& large_prompt_output_descriptor();

}  // namespace attnlab::experiments

// What large-prompt.training says of itself; apart from its computation because both are long.
#pragma once

#include "experiments/descriptor.h"

namespace attnlab::experiments {

inline constexpr Identity kLargePromptTraining = {"large-prompt.training", "large-prompt", 50};
const Descriptor& large_prompt_training_descriptor();

}  // namespace attnlab::experiments

// What large-prompt.enough-tokens says of itself; apart from its computation because both are long.
#pragma once

#include "experiments/descriptor.h"

namespace attnlab::experiments {

inline constexpr Identity kLargePromptEnoughTokens = {"large-prompt.enough-tokens", "large-prompt",
                                                      30};
const Descriptor& large_prompt_enough_tokens_descriptor();

}  // namespace attnlab::experiments

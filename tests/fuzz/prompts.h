// Prompts for the targets of multi-head linear attention.
#pragma once

#include <string_view>

#include "input.h"
#include "mhla/features.h"
#include "mhla/prompts.h"

namespace attnlab::fuzz {

// Up to `most` prompts of 1 to 4 tokens; checked as those of a caller are. Throws Error.
mhla::Prompts draw_prompts(Input& input, Index d, Index most, std::string_view parameter);
// The same as samples: last, full or prefix.
mhla::Samples draw_samples(Input& input, Index d, Index most, std::string_view parameter);

}  // namespace attnlab::fuzz

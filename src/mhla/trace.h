// A run of a program, written out token by token.
#pragma once

#include <vector>

#include "core/types.h"
#include "mhla/one_hot_attention.h"

namespace attnlab::mhla {

// The first prompt_length tokens are given; each further one is the answer to those before it, so
// a trace holds one training sample a step.
struct Trace {
  std::vector<SparseToken> tokens;
  Index prompt_length = 0;

  Index steps() const { return static_cast<Index>(tokens.size()) - prompt_length; }
};

}  // namespace attnlab::mhla

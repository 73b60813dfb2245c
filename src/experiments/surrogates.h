// The approximations of softmax attention that large-prompt.enough-tokens sets side by side.
#pragma once

#include <string>
#include <vector>

#include "core/types.h"

namespace attnlab::experiments {

struct Surrogate {
  std::string method;
  std::string setting;  // "order 2", "64 features"; empty where there is none
  double size = 0;      // the number in it; 0 where there is none
};

// Every method and setting that fits prompts of n tokens of dimension d.
std::vector<Surrogate> surrogates(Index tokens, Index dimension);

// Outputs at the rows of queries (already multiplied by the weights: scores are plain inner
// products) with keys = values = tokens. Random features and projections come from the seed.
Matrix apply_surrogate(const Surrogate& surrogate, const MatrixRef& queries,
                       const MatrixRef& tokens, std::uint64_t seed);

// Multiply-adds for a whole prompt of n tokens that all ask: of softmax attention, 2 n^2 d, and of
// a surrogate (for Taylor the cheaper of its parallel and its recurrent form).
double softmax_cost(Index tokens, Index dimension);
double surrogate_cost(const Surrogate& surrogate, Index tokens, Index dimension);

}  // namespace attnlab::experiments

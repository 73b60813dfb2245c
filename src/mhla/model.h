// Multi-head linear attention, arXiv 2410.10101, Definition 2.1: no normalisation, no residual,
// key and query matrices fused. With G = sum_t z_t z_t^T,
//     y = sum_h V_h G Q_h z_n.
// Outputs need no n x n matrix: G is d x d.
#pragma once

#include <vector>

#include "core/types.h"
#include "mhla/prompts.h"

namespace attnlab::mhla {

struct Head {
  Matrix value;  // V, d_out x d
  Matrix query;  // Q, d x d
};
using Heads = std::vector<Head>;

// Every head d_out x d and d x d with the same sizes, finite. Throws with the names
// heads[i].value and heads[i].query. At least one head.
void require_heads(const Heads& heads);

enum class OutputMode {
  kLast,   // the last token's output: 1 x d_out
  kFull,   // every token attends to the whole prompt: n x d_out
  kPrefix  // every token attends to itself and those before it: n x d_out
};

// Throws kOutOfRange ("heads") where an output would leave the range of a double.
// Cost O(n d^2 + H d^3) for last and full, O(H n d^2) for prefix; memory O(d^2 + n d_out).
Matrix apply(const Heads& heads, const MatrixRef& prompt, OutputMode mode);

}  // namespace attnlab::mhla

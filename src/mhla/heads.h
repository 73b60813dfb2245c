// From a function to heads.
#pragma once

#include "core/types.h"
#include "mhla/model.h"
#include "mhla/singular_values.h"

namespace attnlab::mhla {

struct HeadSplit {
  Heads heads;             // largest singular value first
  Vector singular_values;  // all of W, descending
};

// W = sum_h flatten(V_h) flatten(Q_h)^T by singular value decomposition, the roots of the singular
// values on both sides (arXiv 2410.10101, Algorithm 1, steps 4 and 5). Heads with singular values
// at most tolerance * s_1 are dropped; at most min(d_out d, d^2) are left, and one zero head for a
// zero W.
HeadSplit split_heads(const MatrixRef& w, Index d, double tolerance = 1e-12);
// The same from a finished decomposition of W.
HeadSplit split_heads(const SingularValues& decomposition, const MatrixRef& w, Index d,
                      double tolerance);

// The least r with r (2 d^2 - r) >= d^3 (d + 1) / 2: by counting parameters, how many heads a
// general function with d_out = d needs once every W of the same function may be chosen (derived;
// reached for d = 2, 3, 4). 2, 4, 7, 10, 13, 17, 22, 27, 33 for d = 2 ... 10.
Index smallest_general_head_count(Index d);

}  // namespace attnlab::mhla

// Softmax attention by positive random features (Performer, FAVOR+; arXiv 2009.14794).
//
//   e^{<q, k>} = E_w phi_w(q) phi_w(k),  phi_w(x) = e^{<w, x> - |x|^2 / 2},  w ~ N(0, I)
//
// With F features, output_i = sum_f phi_f(q_i) sum_j phi_f(k_j) v_j / sum_f phi_f(q_i) sum_j
// phi_f(k_j): cost (m + n) F (d + p) and F (p + 1) memory, linear in n. The features are positive,
// so no denominator vanishes; their variance grows like e^{|q + k|^2}, so do not use them for large
// scores.
#pragma once

#include "core/random.h"
#include "core/types.h"

namespace attnlab::attention {

// F x d directions; orthogonal within each block of d, each with the length of a normal vector of
// its own, so that every one is N(0, I).
Matrix orthogonal_directions(Index features, Index dimension, RandomStream& random);

// queries m x d, keys n x d, values n x p, directions F x d. scale > 0 is shared out to queries and
// keys. The largest exponent is taken out of keys and of each query: nothing overflows.
Matrix performer_attention(const MatrixRef& queries, const MatrixRef& keys, const MatrixRef& values,
                           double scale, const MatrixRef& directions);

}  // namespace attnlab::attention

// Three coordinate systems for the same function.
//
//   heads            V_h, Q_h
//   W  (W matrix)    sum_h flatten(V_h) flatten(Q_h)^T, row-major flattenings: (d_out d) x d^2,
//                    row (a, j), column (k, l); rank at most H (arXiv 2410.10101, section 2)
//   C  (coefficients) d_out x psi, the coefficients of the features H(Z): p(Theta) of Algorithm 2
//
// C is unique for a function on all prompts of two tokens or more (Corollary A.4). W is not: only
// W[(a,j),(k,l)] + W[(a,k),(j,l)] matters. Two choices of it ("gauges") are given here.
#pragma once

#include "core/types.h"
#include "mhla/model.h"

namespace attnlab::mhla {

Matrix w_matrix(const Heads& heads);
// p(Theta) straight from the heads; equal to coefficients(w_matrix(heads)).
Matrix coefficients(const Heads& heads);
Matrix coefficients(const MatrixRef& w, Index d);

// Half of a pair's coefficient at (j,k) and half at (k,j): the W of least Frobenius norm, which is
// what the pseudo-inverse gives in the paper's own coordinates. |W|_F^2 = sum_c n_c C_c^2 with
// n_c = 1/2 for pairs and 1 for squares.
Matrix symmetric_w(const MatrixRef& coefficients, Index d);
// All of it at (j,k), j < k.
Matrix one_sided_w(const MatrixRef& coefficients, Index d);
// n_c of above: the weight of a coefficient in |W|_F^2, psi entries.
Vector gauge_weights(Index d);

}  // namespace attnlab::mhla

// The linear surrogate of softmax attention: what it tends to when the tokens are Gaussian
// (arXiv 2512.11784, Lemma 2.1), from the prompt's own moments.
//
//   output_i = mean(values) + scale Cov(values, keys) queries_i
//
// Exact in the limit for jointly Gaussian keys and values, first order in the scores for all
// others. Do not use it where softmax attention picks out single tokens.
#pragma once

#include "core/types.h"

namespace attnlab::attention {

// queries m x d, keys n x d, values n x p, n >= 1; moments with 1 / n. Cost (m + n) d p.
Matrix linear_limit(const MatrixRef& queries, const MatrixRef& keys, const MatrixRef& values,
                    double scale);

}  // namespace attnlab::attention

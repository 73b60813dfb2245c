// Linear attention without softmax, the sums over tokens first.
//
//   output_i = factor sum_j c_j (offset + scale <queries_i, keys_j>) values_j
//            = factor (offset sum_j c_j values_j + scale queries_i sum_j c_j keys_j values_j^T),
//
// factor 1 (kLinear) or 1 / sum c (kLinearMean). Cost (m + n) d p instead of m n (d + p).
#pragma once

#include "attention/attention.h"
#include "core/types.h"

namespace attnlab::attention {

// Whether this way is open and much less work: kLinear or kLinearMean, not causal, and no column of
// keys or values, nor the token weights, so large or small that their products would leave the
// range of Scalar where scores do not.
template <class Scalar>
bool sums_come_first(const MatrixRefOf<Scalar>& queries, const MatrixRefOf<Scalar>& keys,
                     const MatrixRefOf<Scalar>& values, const VectorRefOf<Scalar>& token_weights,
                     const Options& options);

// Arguments are checked already. The sums over blocks of tokens are added in double.
template <class Scalar>
MatrixOf<Scalar> forward_sums_first(const MatrixRefOf<Scalar>& queries,
                                    const MatrixRefOf<Scalar>& keys,
                                    const MatrixRefOf<Scalar>& values,
                                    const VectorRefOf<Scalar>& token_weights,
                                    const Options& options);

}  // namespace attnlab::attention

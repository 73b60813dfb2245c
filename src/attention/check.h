// Checks of attention's arguments, made before any work.
#pragma once

#include "attention/attention.h"
#include "core/types.h"

namespace attnlab::attention {

// Queries, keys and token weights fit each other and are finite, there is a key, options are
// meaningful, and no score can leave the range of Scalar: scale times the dimension times the
// largest query and key entries stays below 1e37 (float) or 1e307 (double).
template <class Scalar>
void check_scores(const MatrixRefOf<Scalar>& queries, const MatrixRefOf<Scalar>& keys,
                  const VectorRefOf<Scalar>& token_weights, const Options& options);

// One row of values a key, all finite.
template <class Scalar>
void check_values(const MatrixRefOf<Scalar>& keys, const MatrixRefOf<Scalar>& values);

// Every entry of a result is finite; else a sum over tokens left the range of Scalar (error:
// values).
template <class Scalar>
void check_result(const MatrixOf<Scalar>& result);

}  // namespace attnlab::attention

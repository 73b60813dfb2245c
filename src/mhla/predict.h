// Outputs from coefficients.
#pragma once

#include "core/types.h"
#include "mhla/features.h"

namespace attnlab::mhla {

// N x d_out: C H(Z_i) for every sample. Cost N d_out psi. Throws kOutOfRange ("coefficients") where
// it would leave the range of a double.
Matrix predict(const MatrixRef& coefficients, const Samples& samples);

}  // namespace attnlab::mhla

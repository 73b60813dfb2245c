// A factor of a positive semi-definite matrix, singular ones included.
#pragma once

#include <string_view>

#include "core/types.h"

namespace attnlab::measure {

// B (d x r) with B B^T = covariance to rounding, r its numerical rank (0 for the zero matrix), by
// Cholesky with diagonal pivoting. Throws Error (shape, not-finite, out-of-range) naming
// `parameter` when the matrix is not square, finite, symmetric and positive semi-definite, each
// to 1e-10 of its largest entry. Cost d r^2.
Matrix psd_factor(const MatrixRef& covariance, std::string_view parameter);

}  // namespace attnlab::measure

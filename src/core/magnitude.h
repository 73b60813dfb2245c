// The size of the entries of a matrix, in one pass over them.
#pragma once

#include <vector>

#include "core/types.h"

namespace attnlab {

// The largest |entry|, 0 of no entries; not finite where some entry is not.
template <class Scalar>
Scalar largest_magnitude(const MatrixRefOf<Scalar>& matrix);

// The same of each column, for finite entries.
template <class Scalar>
std::vector<Scalar> largest_magnitudes_by_column(const MatrixRefOf<Scalar>& matrix);

}  // namespace attnlab

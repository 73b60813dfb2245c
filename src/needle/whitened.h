// Normal samples with the error of their first two moments taken out.
#pragma once

#include "core/random.h"
#include "core/types.h"

namespace attnlab::needle {

// rows x columns standard normals, moved and mixed so that the sample's mean is 0 and its
// covariance the identity, to rounding. For averages of smooth functions; not for tests of
// normality. rows > 2 columns.
Matrix whitened_normals(Index rows, Index columns, RandomStream& random);

}  // namespace attnlab::needle

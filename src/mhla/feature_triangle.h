// The second moment of the features on a data set, as a triangle.
#pragma once

#include "core/types.h"
#include "mhla/features.h"

namespace attnlab::mhla {

// R, psi x psi, with R^T R = F^T F / N, so that |c R^T|_F is the root mean square of the outputs of
// coefficients c. By the streamed QR, which serves singular data too. Cost 2 N psi^2, in one go.
Matrix feature_triangle(const Samples& samples);

}  // namespace attnlab::mhla

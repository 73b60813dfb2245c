// Tokens in their principal components.
#pragma once

#include "core/types.h"

namespace attnlab::measure {

enum class Scaling {
  kNone,         // as they are
  kUnitAverage,  // divided by one number, so that the average variance of the kept components is 1
  kWhitened      // every kept component to variance 1
};

// tokens: n x d, n >= 2. Returns n x k: the tokens less their mean, in the k directions of largest
// variance (largest first; the largest entry of each direction is positive), scaled. k = 0 keeps
// the coordinates as they are, and the mean too (kWhitened takes all d components). Softmax
// attention is indifferent to a common shift of the tokens up to that same shift of its output.
// Of tokens that vary in fewer than k directions those are kept. Throws Error (shape, out-of-range,
// not-finite) naming `tokens` or `components`; out-of-range also when nothing varies. Cost
// n d^2 + d^3.
Matrix principal_components(const MatrixRef& tokens, Index components, Scaling scaling);

// Mean and covariance (with 1 / n) of the rows.
struct RowMoments {
  Vector mean;
  Matrix covariance;
};
RowMoments row_moments(const MatrixRef& tokens);

}  // namespace attnlab::measure

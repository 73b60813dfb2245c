// The fluctuation of a covariance from central moments.
#pragma once

#include "core/types.h"

namespace attnlab::measure {

// Of y = x - mean.
struct CentralMoments {
  Vector mean;
  Matrix covariance;
  Vector third;       // E |y|^2 y
  double fourth = 0;  // E |y|^4
};

// E |(x - centre)(x - centre)^T - shape|_F^2, shape symmetric.
inline double spread(const CentralMoments& moments, const VectorRef& centre,
                     const MatrixRef& shape) {
  const Vector delta = moments.mean - centre;
  const double offset = delta.squaredNorm();
  const double fourth = moments.fourth + 4 * delta.dot(moments.third) +
                        2 * offset * moments.covariance.trace() +
                        4 * delta.dot(moments.covariance * delta) + offset * offset;
  const double cross = shape.cwiseProduct(moments.covariance).sum() + delta.dot(shape * delta);
  return fourth - 2 * cross + shape.squaredNorm();
}

}  // namespace attnlab::measure

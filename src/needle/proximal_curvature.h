// Inner part of proximal.h: gradient and Hessian of phi under softmax.
#pragma once

#include "needle/proximal.h"

namespace attnlab::needle {

// Gradient and Hessian of phi under softmax, from s and z at the scores.
//   d phi/ds = -a z;  its Hessian p p^T/d - V_v a^2 I with p = z + V_v a s;  J = diag(s) - s s^T.
struct SoftmaxCurvature {
  double hessian[kLargestEvolutionLength * kLargestEvolutionLength];
  double gradient[kLargestEvolutionLength];
};
void softmax_curvature(Index length, double key_variance, double value_variance,
                       const double* key_field, const ProximalPoint& point, SoftmaxCurvature& out);

}  // namespace attnlab::needle

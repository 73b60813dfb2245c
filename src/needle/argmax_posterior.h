// Where the largest of L scores lies when each is known up to Gaussian noise: the posterior of the
// needle under max with nu = Infinity.
#pragma once

#include "core/quadrature.h"
#include "core/types.h"

namespace attnlab::needle {

class ArgmaxPosterior {
 public:
  // 1 <= length <= 8; variance V > 0 of each score.
  ArgmaxPosterior(Index length, double variance);

  // probabilities[e] = P(argmax_l (w_l + sqrt(V) u_l) = e), u iid N(0, 1): one-dimensional Gauss
  // rule, absolute error below 1e-6. They sum to one.
  void probabilities(const double* means, double* probabilities) const;
  // Also slopes[e * length + l] = d P_e / d w_l.
  void with_slopes(const double* means, double* probabilities, double* slopes) const;

 private:
  Index length_;
  double spread_;
  QuadratureRule rule_;
};

}  // namespace attnlab::needle

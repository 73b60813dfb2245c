// The two numbers that decide the population risk on the manifold of aligned parameters.
//
// With k = m k* + (noise direction) and v along v*, chi_l = m chi*_l + s zeta_l, and
//   A = E sigma_needle(chi),  B = E sum_l sigma_l(chi)^2,
//   risk(m_v, q_v) = 1 - 2 m_v A + q_v B;  best m_v = A/B, q_v = m_v^2: risk 1 - A^2/B.
// arXiv 2509.21936, Section 4; the reduction to one token at a time is derived here: for normalised
// kernels 1/sum psi = int_0^inf e^(-t sum psi) dt, and the tokens are independent given t. So every
// L costs one two-dimensional quadrature. Trapezoidal rules on analytic integrands: absolute error
// below 1e-9 (below 1e-7 for nu = Infinity).
#pragma once

#include <algorithm>
#include <vector>

#include "core/types.h"
#include "needle/model.h"
#include "needle/predictor.h"

namespace attnlab::needle {

struct AttentionMoments {
  double needle = 0;  // A
  double square = 0;  // B
  double gap = 0;     // B - A^2, with small relative error also where A^2 is close to B

  // 1 where no token has any weight.
  double best_risk() const { return square > 0 ? std::max(gap, 0.0) / square : 1; }
  double best_output() const { return needle / square; }  // m_v; NaN where no token has any weight
};

// chi_l = scale chi*_l + noise zeta_l, scale + noise <= 1000. For softmax and softplus under max
// with nu = Infinity the scale may be Infinity, with noise 0.
struct KeyAlignment {
  double scale = 1;  // m_k >= 0; for relu scale or noise must be positive
  double noise = 0;  // sqrt(q_k - m_k^2) >= 0
  double bias = 0;   // erf kernels only
};

class MomentEvaluator {
 public:
  // Validates the problem. Cost for max with finite nu and an element-wise kernel: one quadrature
  // for the law of the needle's chi*.
  MomentEvaluator(const Problem& problem, Kernel kernel);

  // Throws kDomain ("noise") for relu under max with noise > 0, whose kink the rule cannot follow;
  // use risk_monte_carlo there.
  AttentionMoments at(const KeyAlignment& alignment) const;

  // E chi*_needle: sqrt(nu) for spiked; mu = E sum softmax(nu chi)_l chi_l for max.
  double needle_mean() const { return needle_mean_; }

 private:
  AttentionMoments elementwise(const KeyAlignment& alignment) const;
  AttentionMoments linear(const KeyAlignment& alignment) const;

  Problem problem_;
  Kernel kernel_;
  Vector needle_nodes_;  // max: x and the mass of the needle's chi* there
  Vector needle_weights_;
  double needle_mean_ = 0;
};

// E max of L independent N(0, 1). Absolute error below 1e-12 for L <= 1000.
double expected_maximum(Index length);

// E (erf(t + g G))^2 for G ~ N(0, 1); zeta(0, g) = (2/pi) arcsin(2 g^2/(1 + 2 g^2)).
double erf_square_mean(double t, double g);

}  // namespace attnlab::needle

// The single-sample problem of the state evolution of ridge-regularised empirical risk minimisation
// (arXiv 2509.21936, Result 5.1; equations derived here):
//   (c, z) = argmin |c - w_k|^2/(2 V_k) + |z - w_v|^2/(2 V_v) + (y - sigma(c).z)^2/2  over R^2L.
// z is explicit: with s = sigma(c), r = y - s.w_v, d = 1 + V_v |s|^2, a = r/d: z = w_v + V_v a s,
// which leaves phi(c) = |c - w_k|^2/(2 V_k) + r^2/(2 d) in R^L.
#pragma once

#include "core/types.h"
#include "needle/model.h"
#include "needle/predictor.h"

namespace attnlab::needle {

struct ProximalProblem {
  const double* key_field;    // w_k, L numbers
  const double* value_field;  // w_v
  double label;               // y
};

struct ProximalPoint {
  double scores[kLargestEvolutionLength];   // c
  double weights[kLargestEvolutionLength];  // s
  double outputs[kLargestEvolutionLength];  // z
  double residual = 0;                      // a = y - s.z
};

// How the point moves with the fields: traces, and the squared Frobenius norms of the blocks of
// dg/dw with g_k = (c - w_k)/V_k, g_v = (z - w_v)/V_v.
struct ProximalResponse {
  double key_trace = 0;  // sum_l d g_k,l / d w_k,l
  double value_trace = 0;
  double key_key = 0, key_value = 0, value_value = 0;
  double label_slope = 0;  // d g_v,0 / d y: of the first token, which carries the label
};

class ProximalSolver {
 public:
  // kernel: softmax or linear, else kDomain ("kernel"). 1 <= length <= 8. Variances positive.
  ProximalSolver(Kernel kernel, Index length, double key_variance, double value_variance);

  // The global minimum. Linear: exact up to rounding, because the problem is convex in the one
  // multiplier of s.z. Softmax: damped Newton from the best of a scan along each token's direction;
  // for L = 2 the scan covers the whole line.
  void solve(const ProximalProblem& problem, ProximalPoint& point) const;

  // False where the Hessian at the point is not positive definite: not a minimum.
  bool respond(const ProximalProblem& problem, const ProximalPoint& point,
               ProximalResponse& response) const;

  // phi at given scores.
  double energy(const ProximalProblem& problem, const double* scores) const;

 private:
  void solve_linear(const ProximalProblem& problem, ProximalPoint& point) const;
  void solve_softmax(const ProximalProblem& problem, ProximalPoint& point) const;
  void scan(const ProximalProblem& problem, double* scores) const;
  void finish(const ProximalProblem& problem, ProximalPoint& point) const;

  static constexpr int kScanCount = 10;
  Kernel kernel_;
  Index length_;
  double key_variance_, value_variance_;
  double scan_steps_[kScanCount];    // in units of the score
  double scan_factors_[kScanCount];  // their exponentials
};

}  // namespace attnlab::needle

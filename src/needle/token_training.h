// The predecessor's model and its training dynamics (Marion, Berthier, Biau, Boyer, arXiv
// 2410.01537, ICLR 2025): unit vectors k*, v* in R^d, orthogonal; the needle's token N(sqrt(d/2)
// k*, gamma^2 I), the L - 1 others N(0, I); Y = X_needle.v* + noise; predictor T(X) = sum_l
// erf(lambda X_l.k) X_l.v with |k| = |v| = 1.
//
// The risk depends on five overlaps only, and projected gradient descent closes on them: its
// gradient lies in the span of k*, v*, k, v. On the manifold theta = eta = rho = 0 two are left.
#pragma once

#include <array>
#include <functional>

#include "core/random.h"
#include "core/types.h"

namespace attnlab::needle {

struct TokenModel {
  double dimension = 400;    // d >= 2
  double length = 10;        // L >= 1
  double token_noise = 0.5;  // gamma^2 > 0
};
void validate(const TokenModel& model);

struct TokenOverlaps {
  double key = 0;           // kappa = k.k*
  double value = 0;         // nu = v.v*
  double value_on_key = 0;  // theta = v.k*
  double key_on_value = 0;  // eta = k.v*
  double key_value = 0;     // rho = k.v

  // Distance from the manifold: sqrt(theta^2 + eta^2 + rho^2).
  double distance() const;
};

struct TokenRisk {
  double risk = 0;         // excess, without the label noise
  TokenOverlaps gradient;  // d risk / d overlap
};

// On and off the manifold: one-dimensional trapezoidal rule over the needle's score, exact to about
// 1e-12; the other tokens in closed form. lambda in [0, 100]. |overlap| <= 1.
TokenRisk token_risk(const TokenModel& model, const TokenOverlaps& overlaps, double lambda);

// The same on the manifold, gradient in closed form (kappa, nu): an order of magnitude faster. The
// risk itself still needs zeta by the rule and is left out unless asked for.
struct ManifoldSlope {
  double key = 0;    // d R / d kappa
  double value = 0;  // d R / d nu
};
ManifoldSlope manifold_slope(const TokenModel& model, double key, double value, double lambda);
double manifold_risk(const TokenModel& model, double key, double value, double lambda);

// Excess risk of ridgeless linear regression on the tokens' sum-free baseline of Proposition 3:
// gamma^2 - gamma^4/(gamma^2 + L - 1).
double linear_regression_risk(const TokenModel& model);

// One step of projected gradient descent, k <- (k - rate (I - k k^T) grad_k R)/norm and the same
// for v, exactly, in overlaps.
TokenOverlaps projected_step(const TokenModel& model, const TokenOverlaps& overlaps, double lambda,
                             double rate);

// Gradient flow on the manifold: kappa' = -(1 - kappa^2) dR/dkappa, nu' = -(1 - nu^2) dR/dnu, by
// the classical Runge-Kutta rule with steps of `step` in t = rate * steps. Returns (kappa, nu) at
// the end.
std::array<double, 2> manifold_flow(const TokenModel& model, std::array<double, 2> start,
                                    const std::function<double(double)>& lambda, double from,
                                    double to, double step);

// Schedules of lambda over steps: constant, or lambda_0/(1 + decay t).
struct LambdaSchedule {
  double first = 0.1;
  double decay = 0;
  double at(double step) const { return first / (1 + decay * step); }
};

// Stochastic projected gradient descent on fresh prompts in R^d: the simulation beside the flow.
class TokenDescent {
 public:
  // Starts on the manifold with the given overlaps, or, `anywhere`, from uniform unit vectors.
  // label_noise: standard deviation. batch >= 1 prompts a step.
  TokenDescent(const TokenModel& model, const LambdaSchedule& schedule, double rate, Index batch,
               double label_noise, RandomStream random);
  void start_on_manifold(double key, double value);
  void start_anywhere();

  void step();
  Index steps() const { return steps_; }
  TokenOverlaps overlaps() const;

 private:
  Index dimension_, length_, batch_;
  double token_noise_, rate_, label_noise_;
  LambdaSchedule schedule_;
  RandomStream random_;
  Vector teacher_key_, teacher_value_, key_, value_;
  Matrix tokens_;
  Index steps_ = 0;
};

}  // namespace attnlab::needle

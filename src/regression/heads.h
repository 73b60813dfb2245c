// Softmax heads for in-context linear regression with x ~ N(0, I_d), w ~ N(0, I / d), label noise
// s2 (arXiv 2503.12734): head h has key-query block om_h I and output weight mu_h, the prediction
// is sum_h mu_h <y, softmax(om_h X x_q)>. Risks are E (prediction - y_q)^2, the target's noise s2
// included.
#pragma once

#include "core/types.h"
#include "regression/finite_prompt.h"

namespace attnlab::regression {

struct HeadsSetting {
  double dimension = 5;       // d
  double length = 40;         // L
  double label_variance = 0;  // s2
};

struct HeadsGradient {
  double loss = 0;
  Vector mu;
  Vector omega;
};

// The paper's approximate loss: 1 + s2 - 2 mu.om + mu^T (om om^T + (1 + s2) / L exp(d om om^T)) mu,
// exp entry by entry. For small om only: it has the large-d value e^{d om^2} of
// (1 - 2 om^2)^{-d/2}.
HeadsGradient approximate_heads(const HeadsSetting& setting, const VectorRef& omega,
                                const VectorRef& mu);
// mu minimising it for given omega.
Vector best_output_weights(const HeadsSetting& setting, const VectorRef& omega);

// Exact through order 1 / L (derived), finite for every |om_h om_k| < 1/2, else Infinity. With
// E0(c) = (1 - 2c)^{-d/2}, E1(c) = (1 - 2c)^{-d/2 - 1}, p = mu.om:
//   s2 + (1 - p)^2 + (2 (1 - p) / L) sum_h mu_h om_h E1(om_h^2)
//   + (1 / L) sum_hk mu_h mu_k ((1 + s2) E0(om_h om_k) + om_h om_k E1(om_h om_k))
double first_order_heads_risk(const HeadsSetting& setting, const VectorRef& omega,
                              const VectorRef& mu);

// Closed forms of the paper's approximate loss.
double approximate_step(const HeadsSetting& setting);          // eta of debiased gradient descent
double approximate_pair_risk(const HeadsSetting& setting);     // of many heads, gamma -> 0
double approximate_single_risk(const HeadsSetting& setting);   // of one head
double approximate_single_omega(const HeadsSetting& setting);  // 1 / sqrt d
double approximate_single_mu(const HeadsSetting& setting);
double pair_mu(const HeadsSetting& setting, double gamma);  // the manifold mu_gamma

// One step of gradient descent in context, exactly at every L (derived). Vanilla: (eta / L) sum y_l
// x_l.x_q; debiased: with x_l - mean x in place of x_l.
double vanilla_risk(const HeadsSetting& setting, double eta);
double vanilla_step(const HeadsSetting& setting);  // the best eta
double debiased_risk(const HeadsSetting& setting, double eta);
double debiased_step(const HeadsSetting& setting);

// The Bayes risk as d, L grow with d / L -> ratio, s2 included, and the bound on gradient descent's
// ratio to it.
double bayes_risk_limit(double ratio, double label_variance);
double gradient_descent_risk_limit(double ratio, double label_variance);
double bayes_ratio_bound(double ratio, double label_variance);

// Predictions of one step of gradient descent, as above.
Vector vanilla_predictions(const Prompts& prompts, double eta);
Vector debiased_predictions(const Prompts& prompts, double eta);

}  // namespace attnlab::regression

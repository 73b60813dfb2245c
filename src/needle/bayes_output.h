// What one label says about the hidden vectors when the rest is integrated out: the output
// functions of the Bayes-optimal state evolution and of AMP (derived here for arXiv 2509.21936,
// Section 5). Under a field w_k of mean and V_k of variance for chi*, w_v and V_v for z*, S =
// Delta^2 + V_v:
//   spiked  p_l ~ exp(sqrt(nu) w_k,l) N(y; w_v,l, S),  g_k = sqrt(nu) p
//   max     p_e ~ P_e(w_k) N(y; w_v,e, S),             g_k,l = sum_e p_e d_l log P_e  (nu =
//   Infinity) both    g_v,l = p_l (y - w_v,l)/S
#pragma once

#include <optional>

#include "needle/argmax_posterior.h"
#include "needle/model.h"

namespace attnlab::needle {

class BayesOutput {
 public:
  // Throws kDomain ("snr") for max with finite nu, which has no closed output function, and
  // kOutOfRange ("length") beyond 8 tokens. S is kept above 1e-10.
  BayesOutput(const Problem& problem, double key_variance, double value_variance);

  struct Fields {
    const double* key;
    const double* value;
    double label;
  };
  // Writes g_k and g_v, length numbers each.
  void operator()(const Fields& fields, double* key_pull, double* value_pull) const;

  // The same in two parts, where several labels belong to one key field: what the key field says,
  // and then the pulls. prior.slopes are used by max only.
  struct Prior {
    double probabilities[8];
    double slopes[64];
  };
  void see_keys(const double* key_field, Prior& prior) const;
  void pull(const Prior& prior, const Fields& fields, double* key_pull, double* value_pull) const;

  // How much the averages of g^2, summed over the tokens, exceed those of -dg/dw. On average 0
  // where the fields are what the variances say (Nishimori), not so under damping. Key: 0 under
  // spiked; under max -sum_l w_l g_l / V, because P_e depends on w/sqrt(V) only and obeys the heat
  // equation. Value: sum_l p_l (y - w_l)^2/S^2 - 1/S.
  struct Excess {
    double key, value;
  };
  Excess excess(const Fields& fields, const double* key_pull, const double* value_pull) const;

  // P(needle = l) from the key's fields alone, as a new prompt is answered.
  void prior(const double* key_field, double* probabilities) const;

 private:
  Index length_;
  double root_snr_ = 0;
  double key_variance_, label_variance_;
  std::optional<ArgmaxPosterior> argmax_;
};

// Throws where the Bayes-optimal equations are not known here.
void validate_bayes(const Problem& problem);

}  // namespace attnlab::needle

// Population risk of the predictors at their best parameters, the Bayes risk, and the two rates of
// arXiv 2509.21936, Sections 4 and Corollary 4.3. All are excess risks.
#pragma once

#include <limits>
#include <optional>

#include "needle/attention_moments.h"
#include "needle/scalar_search.h"

namespace attnlab::needle {

struct RiskEstimate {
  double risk = 0;
  double standard_error = 0;  // 0: closed form or quadrature
};

// E_Bayes = 1 - E sum_l p_l^2 with p = softmax(c_nu chi*): the risk of softmax at k = c_nu k*,
// v = v* (Proposition 4.2, Nishimori). 0 for nu = Infinity. Quadrature, absolute error below 1e-9.
RiskEstimate bayes_risk(const Problem& problem);

struct OptimalRisk {
  double risk = 0;
  double standard_error = 0;
  double scale = 0;   // m_k; Infinity where the infimum lies there
  double bias = 0;    // erf kernels
  double output = 0;  // m_v
};

// The smallest risk over the parameters k = scale k*, v = output v* and the bias. Closed forms for
// linear and centred-linear; softmax at the posterior's scale, which is the best (Proposition 4.2);
// one-dimensional search for softplus over scale in (0, largest_scale], 1000 at most, as for
// softmax where largest_scale is below the posterior's; two-dimensional search for erf. relu does
// not depend on its scale. Softmax under max with nu = Infinity: risk 0 at scale Infinity, unless
// largest_scale is finite.
OptimalRisk optimal_risk(const Problem& problem, Kernel kernel,
                         double largest_scale = std::numeric_limits<double>::infinity());

// The same in slices of one risk each (for erf: the whole search, some milliseconds).
class OptimalRiskSearch {
 public:
  OptimalRiskSearch(const Problem& problem, Kernel kernel,
                    double largest_scale = std::numeric_limits<double>::infinity());
  // True once it has ended.
  bool step();
  double progress() const { return done_ ? 1.0 : search_ ? search_->progress() : 0.0; }
  const OptimalRisk& result() const { return result_; }

 private:
  bool widen_search();
  void finish_search();
  void compare_with_linear();

  Problem problem_;
  Kernel kernel_;
  double largest_scale_;
  std::optional<MomentEvaluator> evaluator_;
  std::optional<ScalarSearch> search_;   // of log scale
  std::optional<ScalarMinimum> narrow_;  // what it found before it went on to larger scales
  bool done_ = false;
  OptimalRisk result_;
};

// Closed forms, derived here: spiked E = L(L-1)/(L^2 + (L-1) nu), so L/nu for large nu (summaries
// that quote (L/(L-1))/nu agree at L = 2 only); with random L, E L takes the place of L. max:
// E = 1 - (1 + mu^2)/L.
OptimalRisk linear_optimum(const Problem& problem);
// spiked: (L-1)/(L + nu); max: 1 - 1/L - mu^2/(L-1).
OptimalRisk centred_linear_optimum(const Problem& problem);

// The smallest risk that any element-wise sigma(chi_l) can reach under max with nu = Infinity:
// (L-1)/(2L-1), by sigma = Phi^(L-1). Fixed length.
double best_elementwise_risk(Index length);

// Large-nu laws under spiked. Softmax: (L-1) sqrt(pi/(4 nu)) e^(-nu/4) (the exponent is Corollary
// 4.3, the factor derived here). Linear: E L/nu.
double softmax_rate(Index length, double snr);
double linear_rate(double mean_length, double snr);

}  // namespace attnlab::needle

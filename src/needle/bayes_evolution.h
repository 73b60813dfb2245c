// State evolution of the Bayes-optimal estimator with standard normal priors on k* and v*, in the
// limit N = alpha D -> infinity (arXiv 2509.21936, Section 5; equations derived here):
//   q_a <- alpha E |g_a|^2 / (1 + alpha E |g_a|^2),  a = k, v,
// with the output functions of needle/bayes_output.h. It predicts AMP iteration by iteration.
#pragma once

#include <optional>
#include <vector>

#include "core/random.h"
#include "needle/population_risk.h"
#include "needle/state_evolution.h"

namespace attnlab::needle {

struct BayesOrder {
  double key = 0.01;    // q_k in [0, 1)
  double value = 0.01;  // q_v
};

struct BayesOptions {
  Index samples = 10000;  // M in [100, 1e6]
  Index largest_iterations = 400;
  double damping = 0.7;     // share of the new value, (0, 1]
  double tolerance = 1e-6;  // change of both overlaps in one iteration
};

class BayesEvolution {
 public:
  BayesEvolution(const Problem& problem, double ratio, const BayesOptions& options,
                 const BayesOrder& start, RandomStream random);

  // Handles some 500 fields. True once it has ended.
  bool step();
  Verdict verdict() const { return verdict_; }
  double progress() const;
  Index iterations() const { return iterations_; }
  const BayesOrder& order() const { return order_; }
  // The orders before each iteration, and the last one.
  const std::vector<BayesOrder>& path() const { return path_; }

  // Excess test error at an order: 1 - q_v E sum_l pi_l^2. Spiked: quadrature (the Bayes risk at nu
  // q_k). max: average over the sample's fields, cost M.
  double risk(const BayesOrder& order) const;
  double risk() const { return risk(order_); }

 private:
  Problem problem_;
  double ratio_;
  BayesOptions options_;
  Verdict verdict_ = Verdict::kRunning;
  BayesOrder order_;
  std::vector<BayesOrder> path_;
  // The fields of the keys. Under max, what is learned comes from prompts whose two largest scores
  // nearly tie; half of the sample is drawn there and `importance` gives each its true weight.
  double draw_keys(Index n, const BayesOrder& order, double* key_field) const;

  Matrix key_noise_, value_noise_;  // M x L
  Vector label_noise_;
  Index next_ = 0, iterations_ = 0;
  double key_sum_ = 0, value_sum_ = 0, weight_sum_ = 0;
};

struct BayesResult {
  double risk = 0;            // NaN unless converged
  double standard_error = 0;  // NaN unless converged, and of a single stream
  BayesOrder order;
  Verdict verdict = Verdict::kRunning;
  Index iterations = 0;  // the most of any stream
};
// Mean over independent streams. Where one of them has not converged, its verdict and its order,
// and NaN for the risk and its error. start: informed (q = 0.98) or uninformed (q = 0.01); where
// the two end apart there is a hard phase.
class BayesStreams {
 public:
  BayesStreams(const Problem& problem, double ratio, const BayesOptions& options, Start start,
               Index streams, std::uint64_t seed);

  // A few milliseconds; true once it has ended.
  bool step();
  double progress() const;
  const BayesResult& result() const { return result_; }

 private:
  bool end(Verdict verdict);

  Problem problem_;
  double ratio_;
  BayesOptions options_;
  Start start_;
  Index streams_;
  std::uint64_t seed_;
  Index ended_ = 0;
  std::optional<BayesEvolution> evolution_;
  StreamRisks risks_;
  BayesResult result_;
  bool done_ = false;
};
// The same in one go.
BayesResult bayes_state_evolution(const Problem& problem, double ratio, const BayesOptions& options,
                                  Start start, Index streams, std::uint64_t seed);
BayesOrder bayes_start(Start start);

}  // namespace attnlab::needle

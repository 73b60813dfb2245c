// Approximate message passing (AMP) for the Bayes-optimal estimator at finite D, with its state
// evolution in needle/bayes_evolution.h (arXiv 2509.21936, Section 5; derived here). With A the
// average of g^2,
//   w = X a/sqrt(D) - V g_old,  A_a = (1/D) sum g_a^2 (spiked keys: less alpha nu),
//   a = (X^T g/sqrt(D) + A_a a)/(precision + A_a),  V = 1/(precision + A_a),
// precision 1 + alpha nu for the spiked keys, whose law holds an extra factor exp(-nu |k|^2/(2 D)),
// and 1 otherwise. Averages of g^2 in place of -dg: by the Nishimori identities the same in the
// limit, and stable at finite D.
#pragma once

#include <vector>

#include "needle/bayes_output.h"
#include "needle/monte_carlo_risk.h"
#include "needle/sampler.h"

namespace attnlab::needle {

struct AmpOptions {
  Index dimension = 300;  // D in [2, 4000]
  double damping = 0.8;   // share of the new vectors
  Index iterations = 30;
  bool informed = false;  // start at overlap 0.98 with both hidden vectors
  Index risk_samples = 4000;
};

struct AmpState {
  double risk = 0;   // excess test error of the posterior mean
  double key = 0;    // k.k*/D
  double value = 0;  // v.v*/D
  double key_power = 0;
  double value_power = 0;
};

class MessagePassing {
 public:
  // Bayes-optimal problems only (validate_bayes). Memory as ErmSimulation.
  MessagePassing(const Problem& problem, double ratio, const AmpOptions& options,
                 std::uint64_t seed, std::uint64_t replicate);
  // Some prompts, or the end of an iteration. True once all iterations are done.
  bool step();
  double progress() const;
  // State 0 is the start, state t the one after t iterations.
  const std::vector<AmpState>& path() const { return path_; }
  // False when a number stopped being finite; the path ends before.
  bool finite() const { return finite_; }

 private:
  void draw_some();
  void pass_some();
  void update();
  void note_state();

  Problem problem_;
  double ratio_;
  AmpOptions options_;
  RandomStream random_;
  std::uint64_t seed_, replicate_;
  Teacher teacher_;
  DataSet data_;
  Index passed_ = 0, iterations_ = 0;
  Vector key_, value_, key_sum_, value_sum_;
  Matrix key_pulls_, value_pulls_;  // N x L
  double key_variance_ = 1, value_variance_ = 1, key_square_ = 0, value_square_ = 0;
  bool finite_ = true;
  std::vector<AmpState> path_;
};

}  // namespace attnlab::needle

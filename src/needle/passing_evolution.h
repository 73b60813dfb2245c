// State evolution of damped approximate message passing (needle/message_passing.h) for D ->
// infinity, iteration by iteration (derived here for arXiv 2509.21936, Section 5).
//
// Damping mixes estimates of all iterations, so an overlap m = a.a*/D and a power Q = a.a/D no
// longer agree, and the fields of one prompt are correlated over the iterations:
//   w_t = m_t chi* + noise,  Cov(noise_t, noise_s) = Q_ts - m_t m_s,  Q_ts = a_t.a_s/D,
// chi* of the keys with the spike's sqrt(nu) at the needle, of the values z* (the hidden value's
// own scores). What an iteration adds is
//   b_t = V_t (X^T g_t/sqrt(D) + (A_t - e_t) a_t),  b_t.a*/D = V_t (alpha E chi*.g_t + (A_t - e_t)
//   m_t), b_t.b_s/D = that overlap's product + V_t V_s alpha E g_t.g_s,
//   a_t+1 = (1 - share + share e_t V_t) a_t + share b_t,
// with A, V and e as in message_passing.h. The averages are over M prompts that stay the same for
// all iterations. Without damping, Q = m and this is needle/bayes_evolution.h.
#pragma once

#include <vector>

#include "core/random.h"
#include "needle/message_passing.h"

namespace attnlab::needle {

struct PassingOptions {
  Index samples = 10000;  // M in [100, 1e6]
  Index iterations = 30;
  double damping = 0.8;  // share of the new vectors, (0, 1]
  bool informed = false;
};

class PassingEvolution {
 public:
  // Throws as BayesEvolution, and kTooLarge ("samples") where `bytes` is beyond kLargestBytes.
  PassingEvolution(const Problem& problem, double ratio, const PassingOptions& options,
                   RandomStream random);
  // What the fields of all iterations take.
  static double bytes(const Problem& problem, const PassingOptions& options);
  static constexpr double kLargestBytes = 1 << 30;

  // Handles some 500 prompts of one iteration. True once all iterations are done.
  bool step();
  // State 0 is the start, state t the one after t iterations.
  const std::vector<AmpState>& path() const { return path_; }

 private:
  struct Side {
    Matrix truth;                       // M x L: chi* or z*
    std::vector<Matrix> noises, pulls;  // by iteration, M x L
    Matrix factor;                      // noise_t = sum_s factor(t, s) noises[s]
    Matrix mix;                         // a_t = sum_s mix(t, s) b_s-1; b_-1 is the start
    Matrix products;                    // b_s.b_u/D
    Vector overlaps;                    // b_s.a*/D
    double variance = 1;
    double square = 0, truth_pull = 0, excess = 0;  // weighted sums
  };
  double overlap(const Side& side, Index t) const;
  double power(const Side& side, Index t, Index s) const;
  void draw_scores();
  void open_iteration();
  void see_some();
  void note_state();
  void update(Side& side, double prior);

  Problem problem_;
  double ratio_;
  PassingOptions options_;
  RandomStream random_;
  Side key_, value_;
  Vector labels_, weights_;
  std::vector<Index> needles_;
  Index iteration_ = 0, next_ = 0;
  double needle_ = 0, square_ = 0;  // max: sums of P_needle and of sum P^2
  std::vector<AmpState> path_;
};

}  // namespace attnlab::needle

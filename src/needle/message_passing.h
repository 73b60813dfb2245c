// Approximate message passing (AMP) for the Bayes-optimal estimator at finite D, with its state
// evolution in needle/passing_evolution.h (arXiv 2509.21936, Section 5; derived here). With A the
// average of g^2 and b the share of the new vectors (damping),
//   w = X a/sqrt(D) - o,        A = (1/D) sum g^2 (spiked keys: less alpha nu),
//   a <- (1 - b) a + b (X^T g/sqrt(D) + A a) V,   V = 1/(precision + A),
//   o <- (1 - b + b e V) o + b V g,               e = A - (1/D) sum -dg/dw,
// precision 1 + alpha nu for the spiked keys, whose law holds an extra factor exp(-nu |k|^2/(2 D)),
// and 1 otherwise. Averages of g^2 in place of -dg: stable at finite D, and the same in the limit
// without damping, where e = 0 (Nishimori) and o = V g. With damping a remembers all earlier g, and
// o is what they contribute to X a.
#pragma once

#include <vector>

#include "needle/bayes_output.h"
#include "needle/monte_carlo_risk.h"
#include "needle/sampler.h"

namespace attnlab::needle {

// The overlap with both hidden vectors at an informed start.
inline constexpr double kInformedOverlap = 0.98;

struct AmpOptions {
  Index dimension = 300;  // D in [2, 4000]
  double damping = 0.8;   // share of the new vectors
  Index iterations = 30;
  bool informed = false;  // start at kInformedOverlap with both hidden vectors
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
  void note_state();

  Problem problem_;
  double ratio_;
  AmpOptions options_;
  RandomStream random_;
  std::uint64_t seed_, replicate_;
  Teacher teacher_;
  DataSet data_;
  Index passed_ = 0, iterations_ = 0;
  struct Side {
    Vector estimate, sum;          // a, and X^T g so far
    Matrix pulls, reactions;       // N x L: g and o of the last iteration
    double variance = 1;           // V
    double memory = 0, fresh = 0;  // o <- memory o + fresh g
    double square = 0, excess = 0;
  };
  void update(Side& side, double prior);
  Side key_, value_;
  bool finite_ = true;
  std::vector<AmpState> path_;
};

}  // namespace attnlab::needle

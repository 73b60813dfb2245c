// State evolution of ridge-regularised empirical risk minimisation (ERM) in the limit N, D ->
// infinity with N = alpha D (arXiv 2509.21936, Result 5.1, replica symmetric; the equations are
// derived here and checked against L-BFGS). The loss is
//   sum_n (y_n - f(X_n))^2/2 + r_k/2 |k|^2 + r_v/2 |v|^2.
// One sample of fields is drawn once and kept, so the iteration is a map of six numbers with a
// fixed point of its own; the error of that sample is seen by running several streams and
// comparing.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/random.h"
#include "needle/population_risk.h"
#include "needle/proximal.h"

namespace attnlab::needle {

struct ErmProblem {
  Problem problem;                   // fixed length, 1 <= L <= 8
  Kernel kernel = Kernel::kSoftmax;  // softmax or linear
  double ratio = 4;                  // alpha = N/D in [0.01, 1000]
  double ridge_keys = 1;             // r_k in [1e-3, 1000]
  double ridge_values = 1;           // r_v
};
void validate(const ErmProblem& problem);

// The six order parameters.
struct ErmOrder {
  double key = 0, key_power = 0, key_variance = 1;        // m_k, q_k, V_k
  double value = 0, value_power = 0, value_variance = 1;  // m_v, q_v, V_v
};

enum class Start {
  kInformed,   // at the population's best parameters
  kUninformed  // almost nothing known
};

// What an evolution or a descent starts from; an informed one is searched for.
class ErmStart {
 public:
  ErmStart(const ErmProblem& problem, Start start);

  // One risk of the search, some 200 ms at most; true once it has ended.
  bool step();
  const ErmOrder& order() const { return order_; }

 private:
  std::optional<OptimalRiskSearch> search_;
  ErmOrder order_;
};

// The mean of the streams' risks, and its standard error: NaN of a single stream, which tells none.
class StreamRisks {
 public:
  void add(double risk);
  double mean() const;
  double standard_error() const;

 private:
  double count_ = 0, sum_ = 0, squares_ = 0;
};

enum class Verdict {
  kRunning,
  kConverged,   // the map's change is below the tolerance
  kNotSettled,  // the iterations are used up and it still moves
  kUnstable,    // replicon above kLargestReplicon: the replica-symmetric solution is not the answer
  kDiverged     // an order parameter left every bound
};
// A solution is locally stable below 1; the margin is the sample's own error. Only kConverged
// carries a number.
constexpr double kLargestReplicon = 1.15;
// "running", "converged", "not-settled", "unstable", "diverged".
std::string_view verdict_name(Verdict verdict);

struct ErmOptions {
  Index samples = 10000;          // M in [100, 1e6]
  Index largest_iterations = 70;  // sweeps over the sample, >= 40 for the averaging to take part
  double tolerance = 1e-4;        // relative change of every order parameter in one undamped sweep
  // Where the proximal points jump, the sampled map has no fixed point to the last digit. From
  // sweep 25 on the iteration is damped, and it has settled when its last 12 orders lie within
  // this.
  double settled = 0.02;
};

class ErmEvolution {
 public:
  ErmEvolution(const ErmProblem& problem, const ErmOptions& options, const ErmOrder& start,
               RandomStream random);

  // Handles some 200 fields of the current sweep. True once it has ended.
  bool step();

  Verdict verdict() const { return verdict_; }
  double progress() const;
  const ErmOrder& order() const { return order_; }
  Index iterations() const { return iterations_; }
  // Excess test error at the current order, by quadrature.
  double risk() const;
  // Mean of (y - sigma(c).z)^2/2 in the last sweep: the training loss per sample without ridge.
  double train_loss() const { return train_loss_; }
  // Spectral radius of the replicon map in the last sweep; below 1 the replica-symmetric solution
  // is locally stable (de Almeida-Thouless), above 1 the number is an approximation at best.
  double replicon() const { return replicon_; }

 private:
  void draw_fields(RandomStream random);
  void begin_sweep();
  void end_sweep();
  void mix(const ErmOrder& image);
  bool settled() const;

  ErmProblem problem_;
  ErmOptions options_;
  Verdict verdict_ = Verdict::kRunning;
  ErmOrder order_;
  Matrix teacher_, target_, key_noise_, value_noise_;  // M x L: chi*, z*, zeta, eta; needle first
  Vector labels_;
  Index next_ = 0;  // of the sweep
  Index iterations_ = 0;
  struct Sums {
    double key_trace = 0, value_trace = 0, key_stein = 0, value_stein = 0;
    double key_target = 0, value_target = 0, key_square = 0, value_square = 0;
    double needle_key = 0, label_slope = 0;
    double loss = 0, key_key = 0, key_value = 0, value_value = 0, failed = 0;
  } sums_;
  double train_loss_ = 0;
  double replicon_ = 0;
  double last_change_ = 0;
  // Anderson mixing over the last few sweeps, in logarithms where a number is positive.
  std::vector<Vector> points_, images_;
  std::vector<Vector> recent_;  // the last orders of the damped phase
};

struct ErmResult {
  double risk = 0;            // NaN unless converged
  double standard_error = 0;  // NaN unless converged, and of a single stream
  double train_loss = 0;
  double replicon = 0;
  ErmOrder order;
  Verdict verdict = Verdict::kRunning;
  Index iterations = 0;  // the most of any stream
};
// `streams` independent evolutions (random streams 0, 1, ... of the seed) and their mean. Where one
// of them has not converged, its verdict and its order, and NaN for the risk and its error.
class ErmStreams {
 public:
  ErmStreams(const ErmProblem& problem, const ErmOptions& options, Start start, Index streams,
             std::uint64_t seed);

  // A few milliseconds, or a step of the start's; true once it has ended.
  bool step();
  double progress() const;
  const ErmResult& result() const { return result_; }

 private:
  void add(const ErmEvolution& evolution);
  bool end(Verdict verdict);

  ErmProblem problem_;
  ErmOptions options_;
  Index streams_;
  std::uint64_t seed_;
  ErmStart start_;
  bool started_ = false;
  Index ended_ = 0;
  std::optional<ErmEvolution> evolution_;
  StreamRisks risks_;
  ErmResult result_;
  bool done_ = false;
};
// The same in one go.
ErmResult erm_state_evolution(const ErmProblem& problem, const ErmOptions& options, Start start,
                              Index streams, std::uint64_t seed);

}  // namespace attnlab::needle

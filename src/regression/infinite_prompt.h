// In-context linear regression with infinitely many examples (arXiv 2512.11784).
//
// Tokens (x, w.x), x ~ N(0, S), w ~ N(0, I); a query x_q; one softmax head with key-query block A
// (d x d, logits x^T A x_q) and output weight b. With infinitely many tokens the prediction is
// b w^T S A x_q, and the risk is E (prediction - w.x_q)^2 / 2:
//   R = 1/2 tr((b S A - I) S (b S A - I)^T)
//   dR/dA = b S (b S A - I) S,  dR/db = tr(S A S (b S A - I)^T)
// Along the gradient flow A' = -dR/dA, b' = -dR/db the difference |A|_F^2 - b^2 stays the same.
#pragma once

#include <vector>

#include "core/types.h"
#include "regression/integrate.h"

namespace attnlab::regression {

struct Head {
  Matrix A;  // d x d
  double b = 0;
};

struct HeadGradient {
  double loss = 0;
  Matrix A;
  double b = 0;
};

// Throws Error (shape, not-finite, out-of-range) naming covariance, A or b. covariance S: d x d,
// symmetric.
HeadGradient infinite_prompt(const MatrixRef& covariance, const Head& head);

// The prediction for one task.
double infinite_prediction(const MatrixRef& covariance, const Head& head, const VectorRef& w,
                           const VectorRef& query);

// |A|_F^2 - b^2.
double flow_invariant(const Head& head);

// Where the flow ends from a balanced start (|A|_F = b > 0): b* = tr(S^-2)^{1/4}, A* = S^-1 / b*,
// risk 0. covariance must be positive definite; throws out-of-range ("covariance").
Head flow_limit(const MatrixRef& covariance);

// The paper's start: b = alpha, A = alpha Theta with |Theta|_F = 1, here Theta = I / sqrt(d).
Head flow_start(Index dimension, double alpha);

// The flow at the given times (>= 0, ascending), from `start` at time 0, by Dormand-Prince 5(4)
// with error per step below `tolerance` (relative and absolute). Cost: a few hundred gradients,
// each 4 d^3, for the times of interest.
std::vector<Head> infinite_flow(const MatrixRef& covariance, const Head& start,
                                const std::vector<double>& times, double tolerance = 1e-10);

// The same to one time, a number of steps at a time.
class InfiniteFlow {
 public:
  InfiniteFlow(const MatrixRef& covariance, const Head& start, double time,
               double tolerance = 1e-10);

  // Takes at most this many steps more; true when the time is reached.
  bool advance(int steps) { return integration_.advance(steps); }
  // The head at the time, once it is reached.
  Head head() const;

 private:
  Index dimension_;
  Integration integration_;
};

// One classical Runge-Kutta step of order 4.
Head flow_step(const MatrixRef& covariance, const Head& head, double dt);

// Covariances of the experiments: 1 on the diagonal, rho^|i - j| off it (KCM; Kac, Murdock, Szego);
// rho = 0 is the identity. |rho| < 1.
Matrix kcm_covariance(Index dimension, double rho);

}  // namespace attnlab::regression

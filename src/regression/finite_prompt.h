// In-context linear regression with finitely many examples (arXiv 2512.11784, Section 6): batches
// of prompts, and the loss and gradient of one softmax head on them.
#pragma once

#include "core/random.h"
#include "regression/infinite_prompt.h"

namespace attnlab::regression {

// B prompts of L examples. Row p L + i of tokens is example i of prompt p.
struct Prompts {
  Index length = 0;  // L
  Matrix tokens;     // B L x d
  Vector labels;     // B L: w.x plus noise
  Matrix queries;    // B x d
  Vector targets;    // B: w.x_q, with label noise when asked for
  Matrix tasks;      // B x d: w
};

struct PromptLaw {
  Matrix covariance;          // S of tokens and queries, d x d
  double task_variance = 1;   // w ~ N(0, task_variance I)
  double label_variance = 0;  // noise on every label
  bool noisy_targets = false;
};

// A drawing plan whose prompts are pure functions of (law, length, stream): equal streams give
// common random numbers across models.
Prompts draw_prompts(const PromptLaw& law, Index count, Index length, RandomStream& random);

// Mean over the prompts of (prediction - target)^2 / 2 with prediction = b sum_i p_i y_i,
// p = softmax of x_i^T A x_q, and its gradient. Cost 3 B L d; memory O(L).
HeadGradient finite_prompt(const Prompts& prompts, const Head& head);
// An estimate of the risk over `law`, which the prompts were drawn from, and of its gradient: what
// the same tasks and queries give with infinitely many tokens is taken off, and its mean, which is
// known, put back. The noise falls as the prompts get longer, where scores are not so large that
// softmax on them is far from its limit.
HeadGradient finite_prompt_risk(const PromptLaw& law, const Prompts& prompts, const Head& head);
Vector finite_predictions(const Prompts& prompts, const Head& head);

// Predictions of several softmax heads, sum_h b_h sum_i p_i^h y_i.
Vector finite_predictions(const Prompts& prompts, const std::vector<Head>& heads);

// (1 / L) sum_i y_i x_i^T P x_q.
Vector linear_predictions(const Prompts& prompts, const MatrixRef& P);

// x_q^T (X^T X + ridge I)^{-1} X^T y. With ridge = label_variance / task_variance this is the Bayes
// predictor. ridge >= 0; at 0 the least-norm solution is not taken: throws out-of-range ("ridge")
// when X^T X is singular.
Vector ridge_predictions(const Prompts& prompts, double ridge);

}  // namespace attnlab::regression

// Several regression tasks at once, one head or many (arXiv 2402.19442; the reduction is derived).
//
// Task i sees its own block of d_i coordinates, x ~ N(0, I), w_i ~ N(0, I), label noise s2, prompts
// of L examples. Head h has key-query weight om_i^h on block i and output weight mu_i^h for task i:
//   loss = sum_i { d_i (1 - sum_h mu_i^h om_i^h)^2
//                  + ((d_i + s2) / L) sum_hk mu_i^h mu_i^k exp(sum_j d_j om_j^h om_j^k) }
// up to the noise of the targets. Matrices are H x I: a row a head, a column a task.
#pragma once

#include <vector>

#include "core/types.h"

namespace attnlab::regression {

struct TaskSetting {
  Vector dimensions;          // d_i, I entries, >= 1
  double length = 100;        // L
  double label_variance = 0;  // s2
};

struct TaskHeads {
  Matrix omega;  // H x I
  Matrix mu;     // H x I
};

struct TaskGradient {
  double loss = 0;
  Vector task_losses;  // I
  Matrix omega;
  Matrix mu;
};

// Throws Error (shape, not-finite, out-of-range) naming dimensions, omega, mu, length,
// labelVariance. Cost H^2 I.
TaskGradient task_loss(const TaskSetting& setting, const TaskHeads& heads);

// The same through order 1 / L exactly: exp is replaced by prod_j (1 - 2 om_j^h om_j^k)^{-d_j/2},
// with the bias and the d_i om om / (1 - 2 om om) terms; Infinity where some om_j^h om_j^k >= 1/2.
double first_order_task_loss(const TaskSetting& setting, const TaskHeads& heads);

// Gradient flow of task_loss at the given times (adaptive, see regression/integrate.h).
std::vector<TaskHeads> task_flow(const TaskSetting& setting, const TaskHeads& start,
                                 const std::vector<double>& times, double tolerance = 1e-9);

// Excess risk of task i under task_loss: a head of its own (om_i = 1 / sqrt d_i), and one head for
// all tasks (om = 1 / sqrt(sum d_j)).
double dedicated_risk(const TaskSetting& setting, Index task);
double shared_risk(const TaskSetting& setting, Index task);

}  // namespace attnlab::regression

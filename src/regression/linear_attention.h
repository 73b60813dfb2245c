// Linear attention in context, exactly at every prompt length.
//
// Prediction (1 / L) sum_i y_i x_i^T P x_q with x ~ N(0, S), y = w.x + noise, w ~ N(0, tau I),
// label noise s2; risk E (prediction - y_q)^2, the target's own noise s2 included (derived; the
// same Gamma as Zhang, Frei & Bartlett, arXiv 2306.09927):
//   R = s2 + tau (tr S - 2 tr SPS + (1 + 1/L) tr(S P S P^T S) + (1/L) tr(P S P^T S) tr S)
//       + (s2 / L) tr(P^T S P S)
#pragma once

#include "core/types.h"

namespace attnlab::regression {

struct LinearSetting {
  Matrix covariance;          // S, d x d, positive definite
  double length = 1;          // L >= 1
  double task_variance = 1;   // tau > 0
  double label_variance = 0;  // s2 >= 0
};

double linear_risk(const LinearSetting& setting, const MatrixRef& P);

// P minimising it, ((1 + 1/L) S + ((tr S + s2 / tau) / L) I)^{-1}.
Matrix linear_optimum(const LinearSetting& setting);

}  // namespace attnlab::regression

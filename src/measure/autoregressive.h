// Tokens that depend on the ones before them.
#pragma once

#include "core/types.h"

namespace attnlab::measure {

// Turns n x d independent draws of a centred law, in place, into x_i = phi x_{i-1} +
// sqrt(1 - phi^2) g_i. `previous` (d) is the last token before these rows; pass an empty vector at
// the beginning of a prompt (the first token is then g_1 itself); it is set to the last row.
// For Gaussian draws every token keeps their law.
void make_autoregressive(Eigen::Ref<Matrix> tokens, double persistence, Vector& previous);

// Limit of n E |m_n - G a|^2 for such tokens of N(0, G), |phi| < 1, derived: the autocovariances of
// e^{<a, x>}(x - G a), q = a^T G a, summed over all lags,
//   sum over k of e^{q phi^|k|} (phi^|k| tr G + phi^{2 |k|} |G a|^2).
// phi = 0 gives the constant of independent tokens.
double autoregressive_output_constant(const MatrixRef& covariance, const VectorRef& a,
                                      double persistence);

}  // namespace attnlab::measure

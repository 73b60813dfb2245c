// The error of attention averaged over Gaussian queries, tokens N(0, I_d), a = s z, z ~ N(0, I_d):
// what arXiv 2512.11784, Proposition 3.1 bounds by c1 sigma^6 ln(n) / n^{c2 / sigma^2}. The numbers
// here are derived.
#pragma once

#include "core/types.h"

namespace attnlab::measure {

// Limit of n E |m_n - a|^2: d (1 - 2 s2)^{-d/2} + s2 d (1 - 2 s2)^{-d/2-1} (derived); Infinity for
// s2 >= 1/2, where the mean over queries of the finite-n constant diverges. s2 >= 0, d >= 1.
double gaussian_query_constant(Index dimension, double strength);

// The share of that constant that comes from queries with n < 10 e^{2 q}, q = |a|^2, whose error
// has not come down to its constant over n yet (derived): 1 for s2 >= 1/2. n > 0.
double gaussian_query_early_share(Index dimension, double strength, double n);
// Where less than this comes from such queries, the law over n is called good.
inline constexpr double kSmallEarlyShare = 0.25;

// E with E |m_n - a|^2 = n^{-E} up to logarithms: 1 for s2 <= 1/2, else
// (sqrt(1 + 4 / s2) - 1) / 2. Heuristic, by large deviations of the random-energy kind; slopes at
// finite n come near it slowly. s2 > 0.
double gaussian_query_exponent(double strength);

}  // namespace attnlab::measure

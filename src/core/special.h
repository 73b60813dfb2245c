// Special functions of the theory, built on core/portable.h.
#pragma once

#include "core/types.h"

namespace attnlab {

// log(sum_i exp(x_i)), no overflow; -Infinity for an empty x or one of -Infinities only.
double log_sum_exp(const VectorRef& x);
// softmax(x)_i = exp(x_i - log_sum_exp(x)).
Vector softmax(const VectorRef& x);

// Scalars; the bound is the largest error in ulp, held against long double in
// tests/core/core/special.cpp.
double softplus(double x);         // 2; log(1 + e^x), no overflow
double sigmoid(double x);          // 2.5; 1 / (1 + e^-x), accurate in both tails
double normal_density(double x);   // 3.5; of N(0, 1)
double normal_cdf(double x);       // 3, also in the lower tail
double normal_quantile(double p);  // 4 for p <= 1/2; infinite at 0 and 1, NaN outside [0, 1]
double log_gamma(double x);        // relative 2e-15; x > 0, NaN below 0

}  // namespace attnlab

// Special functions of the theory, built on core/portable.h.
#pragma once

#include "core/types.h"

namespace attnlab {

// log(sum_i exp(x_i)), no overflow; -Infinity for an empty x.
double log_sum_exp(const VectorRef& x);
// softmax(x)_i = exp(x_i - log_sum_exp(x)).
Vector softmax(const VectorRef& x);
double softplus(double x);  // log(1 + e^x), no overflow
double sigmoid(double x);   // 1 / (1 + e^-x), accurate in both tails
double normal_density(double x);
double normal_cdf(double x);
double normal_quantile(double p);  // p in (0, 1)
double log_gamma(double x);        // x > 0

}  // namespace attnlab

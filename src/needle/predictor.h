// The predictors f(X) = sigma(chi) . z with chi = X k/sqrt(D) and z = X v/sqrt(D): one head of
// attention whose query is a constant (arXiv 2509.21936, Section 2).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/types.h"

namespace attnlab::needle {

enum class Kernel {
  kSoftmax,        // e^chi_l / sum e^chi
  kLinear,         // 1 + chi_l: no 1/L, no centring
  kErf,            // 1 + erf(bias + chi_l)
  kSoftplus,       // log(1 + e^chi_l) / its sum
  kRelu,           // max(chi_l, 0) / its sum; all weights 0 where that sum is 0
  kCentredLinear,  // 1 + chi_l - mean(chi): another class than kLinear, with another rate
  kErfToken        // erf(bias + chi_l): the predecessor's predictor, arXiv 2410.01537
};

// "softmax", "linear", "erf", "softplus", "relu", "centred-linear", "erf-token"; throws
// kUnknownName ("kernel").
Kernel kernel_named(std::string_view name);
std::string_view kernel_name(Kernel kernel);
const std::vector<std::string>& kernel_names();

// sigma_l depends on chi_l alone.
bool is_elementwise(Kernel kernel);
// sigma_l = psi(chi_l) / sum psi(chi) with psi >= 0.
bool is_normalised(Kernel kernel);

// sigma(chi) into weights; both of length L. No overflow for |chi| up to 1e4 and beyond.
void attend(Kernel kernel, double bias, const double* scores, Index length, double* weights);

// out_j = sum_l seed_l d sigma_l / d chi_j, given weights = sigma(chi). The derivative of relu at 0
// is taken as 0.
void attend_backward(Kernel kernel, double bias, const double* scores, const double* weights,
                     const double* seed, Index length, double* out);
// sum_l d sigma_l / d bias * seed_l; 0 for kernels without a bias.
double attend_bias_gradient(Kernel kernel, double bias, const double* scores, const double* seed,
                            Index length);

// f(X). tokens is L x D; key and value have D entries. Throws on shapes and non-finite entries.
double predict(Kernel kernel, const MatrixRef& tokens, const VectorRef& key, const VectorRef& value,
               double bias = 0);

struct PredictionGradient {
  double prediction = 0;
  Vector key;    // d f / d k
  Vector value;  // d f / d v
  double bias = 0;
};
PredictionGradient predict_gradient(Kernel kernel, const MatrixRef& tokens, const VectorRef& key,
                                    const VectorRef& value, double bias = 0);

}  // namespace attnlab::needle

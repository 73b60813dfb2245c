// Score kernels: how a score s = scale * <query, key> becomes a weight.
// Linear, erf and softplus are those of arXiv 2509.21936, Section 2 (offset 1); relu is softplus at
// large scales.
#pragma once

#include <string_view>

namespace attnlab::attention {

enum class Kernel {
  kSoftmax,     // e^s / sum e^s
  kLinear,      // offset + s, summed over the tokens
  kLinearMean,  // (offset + s) / n
  kErf,         // offset + erf(bias + s), summed
  kSigmoid,     // 1 / (1 + e^-(bias + s)), summed
  kSoftplus,    // log(1 + e^(bias + s)), divided by its sum over the tokens
  kRelu         // max(bias + s, 0), divided by its sum; all weights 0 where that sum is 0
};

// "softmax", "linear", "linear-mean", "erf", "sigmoid", "softplus", "relu"; throws kUnknownName
// ("kernel").
Kernel kernel_named(std::string_view name);
std::string_view kernel_name(Kernel kernel);

// Which of Options' shifts the kernel takes.
bool uses_offset(Kernel kernel);
bool uses_bias(Kernel kernel);

}  // namespace attnlab::attention

// Attention by its definition, a number at a time in double, for comparison.
#pragma once

#include <algorithm>
#include <cmath>

#include "attention/attention.h"

namespace attnlab::tests {

struct PlainResult {
  Matrix weights;
  Matrix output;
};

inline PlainResult plain_attention(const Matrix& queries, const Matrix& keys, const Matrix& values,
                                   const Vector& token_weights, const attention::Options& options) {
  using attention::Kernel;
  const Index m = queries.rows();
  const Index n = keys.rows();
  PlainResult result{Matrix::Zero(m, n), Matrix::Zero(m, values.cols())};
  for (Index i = 0; i < m; ++i) {
    const Index seen = options.causal ? i + (n - m) + 1 : n;
    Vector score(seen);
    double largest = -INFINITY;
    for (Index j = 0; j < seen; ++j) {
      score(j) = 0;
      for (Index k = 0; k < keys.cols(); ++k)
        score(j) += queries(i, k) * keys(j, k);
      score(j) *= options.scale;
      largest = std::max(largest, score(j));
    }
    double sum = 0;
    double count = 0;
    for (Index j = 0; j < seen; ++j) {
      const double c = token_weights.size() == 0 ? 1 : token_weights(j);
      const double s = score(j);
      double w = 0;
      switch (options.kernel) {
        case Kernel::kSoftmax:
          w = std::exp(s - largest);
          break;
        case Kernel::kLinear:
        case Kernel::kLinearMean:
          w = options.offset + s;
          break;
        case Kernel::kErf:
          w = options.offset + std::erf(options.bias + s);
          break;
        case Kernel::kSigmoid:
          w = 1 / (1 + std::exp(-(options.bias + s)));
          break;
        case Kernel::kSoftplus:
          w = options.bias + s > 30 ? options.bias + s : std::log1p(std::exp(options.bias + s));
          break;
        case Kernel::kRelu:
          w = std::max(options.bias + s, 0.0);
          break;
      }
      result.weights(i, j) = c * w;
      sum += c * w;
      count += c;
    }
    double divisor = 1;
    if (options.kernel == Kernel::kSoftmax || options.kernel == Kernel::kSoftplus ||
        options.kernel == Kernel::kRelu)
      divisor = sum;
    if (options.kernel == Kernel::kLinearMean) divisor = count;
    for (Index j = 0; j < seen; ++j) {
      result.weights(i, j) = divisor == 0 ? 0 : result.weights(i, j) / divisor;
      for (Index k = 0; k < values.cols(); ++k)
        result.output(i, k) += result.weights(i, j) * values(j, k);
    }
  }
  return result;
}

inline constexpr attention::Kernel kAllKernels[] = {
    attention::Kernel::kSoftmax, attention::Kernel::kLinear,  attention::Kernel::kLinearMean,
    attention::Kernel::kErf,     attention::Kernel::kSigmoid, attention::Kernel::kSoftplus,
    attention::Kernel::kRelu};

}  // namespace attnlab::tests

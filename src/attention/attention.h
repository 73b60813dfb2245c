// Attention, forward and gradient, in float and double.
//
//   output_i = sum_j w_ij values_j,   w_ij from the kernel of s_ij = scale * <queries_i, keys_j>
//
// Shapes: queries m x d, keys n x d, values n x p, output m x p; a row is a token.
// Token weights c (n entries, >= 0, not all 0): every sum over tokens counts token j c_j times;
// with softmax, w_ij = c_j e^{s_ij} / sum_k c_k e^{s_ik}, which is attention on the measure
// sum_j c_j delta_{x_j} (arXiv 2512.11784). For kLinearMean, n is replaced by sum c.
// Causal: query i sees keys 0 ... i + (n - m); needs m <= n. Every sum, and the n of kLinearMean,
// then runs over the keys seen; where all of those have token weight 0, the weights are 0.
//
// Softmax streams over blocks of keys with a running maximum (Milakov & Gimelshein, arXiv
// 1805.02867): O((m + n)(d + p)) memory, never m x n unless the weights are asked for. Scores up to
// +-1e4 and beyond do not overflow, and softplus weights keep their ratios however negative the
// scores are. Softmax weights below 1e-307 (double) or 1e-37 (float) of a row's largest may become
// 0.
// Cost: m n (d + p) multiply-adds and m n exponentials forward, about 2.5 times that backward.
// Sizes may be anything, also m, d or p = 0; n = 0 is an error.
#pragma once

#include <vector>

#include "attention/kernel.h"
#include "core/types.h"

namespace attnlab::attention {

struct Options {
  Kernel kernel = Kernel::kSoftmax;
  double scale = 1;
  double offset = 0;  // linear, linear-mean and erf
  double bias = 0;    // erf, sigmoid, softplus and relu
  bool causal = false;
};

// Throws Error (shape, not-finite, out-of-range) naming queries, keys, values, weights, scale,
// offset, bias, causal or outputGradient; scores that may pass 1e37 (float) or 1e307 (double) are
// out of range. An empty token_weights means all ones.
template <class Scalar>
MatrixOf<Scalar> forward(const MatrixRefOf<Scalar>& queries, const MatrixRefOf<Scalar>& keys,
                         const MatrixRefOf<Scalar>& values,
                         const VectorRefOf<Scalar>& token_weights, const Options& options);

// The m x n weights w_ij themselves; the only call that needs m n memory.
template <class Scalar>
MatrixOf<Scalar> weights(const MatrixRefOf<Scalar>& queries, const MatrixRefOf<Scalar>& keys,
                         const VectorRefOf<Scalar>& token_weights, const Options& options);

template <class Scalar>
struct Gradient {
  MatrixOf<Scalar> queries;  // m x d
  MatrixOf<Scalar> keys;     // n x d
  MatrixOf<Scalar> values;   // n x p
};

// Gradient of <output_gradient, output> with respect to queries, keys and values. Gradients of
// parameters follow by the chain rule: for queries = Z W, dW = Z^T dQueries. Recomputes the
// weights block by block: O((m + n)(d + p)) memory.
template <class Scalar>
Gradient<Scalar> gradient(const MatrixRefOf<Scalar>& queries, const MatrixRefOf<Scalar>& keys,
                          const MatrixRefOf<Scalar>& values,
                          const VectorRefOf<Scalar>& token_weights,
                          const MatrixRefOf<Scalar>& output_gradient, const Options& options);

// Prompts of different lengths in one call: rows of queries, keys and values stand one prompt
// after the other; query_lengths and key_lengths (equally many, >= 0) cut them. A prompt without
// queries may have no keys. Errors also name queryLengths and keyLengths.
template <class Scalar>
MatrixOf<Scalar> forward_batch(const MatrixRefOf<Scalar>& queries, const MatrixRefOf<Scalar>& keys,
                               const MatrixRefOf<Scalar>& values,
                               const VectorRefOf<Scalar>& token_weights,
                               const std::vector<Index>& query_lengths,
                               const std::vector<Index>& key_lengths, const Options& options);

}  // namespace attnlab::attention

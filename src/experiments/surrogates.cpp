#include "experiments/surrogates.h"

#include <algorithm>

#include "attention/linear_limit.h"
#include "attention/linformer.h"
#include "attention/performer.h"
#include "attention/taylor.h"
#include "core/random.h"

namespace attnlab::experiments {
namespace {

constexpr std::uint64_t kFeatureStream = 0xb0;
constexpr const char* kLinearLimit = "linear limit";
constexpr const char* kPlainLinear = "plain linear attention";
constexpr const char* kTaylor = "Taylor";
constexpr const char* kPerformer = "Performer";
constexpr const char* kLinformer = "Linformer, pooled";

// (1 / n) sum_j (1 + <q, x_j>) x_j: no denominator and no centring.
Matrix plain_linear(const MatrixRef& queries, const MatrixRef& tokens) {
  const auto n = static_cast<double>(tokens.rows());
  const Index d = tokens.cols();
  Vector mean = tokens.colwise().sum().transpose() / n;
  Matrix second = Matrix::Zero(d, d);
  for (Index j = 0; j < tokens.rows(); ++j)
    second += tokens.row(j).transpose() * tokens.row(j) / n;
  Matrix output = queries * second;
  output.rowwise() += mean.transpose();
  return output;
}

}  // namespace

std::vector<Surrogate> surrogates(Index tokens, Index dimension) {
  std::vector<Surrogate> list = {{kLinearLimit, "", 0}, {kPlainLinear, "", 0}};
  for (const int order : {1, 2, 3, 4, 6, 8, 12})
    list.push_back({kTaylor, "order " + std::to_string(order), static_cast<double>(order)});
  for (const Index features : {16, 64, 256, 1024})
    list.push_back({kPerformer, std::to_string(features) + " features",
                    static_cast<double>(std::max(features, dimension))});
  for (const Index rank : {16, 64, 256})
    if (rank < tokens)
      list.push_back({kLinformer, std::to_string(rank) + " rows", static_cast<double>(rank)});
  return list;
}

Matrix apply_surrogate(const Surrogate& surrogate, const MatrixRef& queries,
                       const MatrixRef& tokens, std::uint64_t seed) {
  const auto size = static_cast<Index>(surrogate.size);
  if (surrogate.method == kLinearLimit) return attention::linear_limit(queries, tokens, tokens, 1);
  if (surrogate.method == kPlainLinear) return plain_linear(queries, tokens);
  if (surrogate.method == kTaylor)
    return attention::taylor_attention(queries, tokens, tokens, size, 1).output;
  if (surrogate.method == kLinformer)
    return attention::linformer_attention(queries, tokens, tokens, 1, size,
                                          attention::LinformerProjection::kPool, seed);
  RandomStream random(seed, stream_of({kFeatureStream, static_cast<std::uint64_t>(size)}));
  const Matrix directions = attention::orthogonal_directions(size, tokens.cols(), random);
  return attention::performer_attention(queries, tokens, tokens, 1, directions);
}

double softmax_cost(Index tokens, Index dimension) {
  const auto n = static_cast<double>(tokens);
  return 2 * n * n * static_cast<double>(dimension);
}

double surrogate_cost(const Surrogate& surrogate, Index tokens, Index dimension) {
  const auto n = static_cast<double>(tokens);
  const auto d = static_cast<double>(dimension);
  if (surrogate.method == kTaylor) {
    const auto order = static_cast<Index>(surrogate.size);
    const double features = attention::taylor_feature_count(dimension, order);
    return std::min(2 * n * features * (d + 1), n * n * (2 * d + surrogate.size));
  }
  if (surrogate.method == kPerformer) return 2 * n * surrogate.size * (2 * d + 1);
  if (surrogate.method == kLinformer) return 2 * n * d + 2 * n * surrogate.size * d;
  return 2 * n * d * d;
}

}  // namespace attnlab::experiments

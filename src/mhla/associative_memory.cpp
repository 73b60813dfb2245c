#include "mhla/associative_memory.h"

#include <cmath>
#include <limits>
#include <string>

#include "core/nearest_name.h"
#include "core/portable.h"
#include "core/require.h"

namespace attnlab::mhla {
namespace {

Matrix draw_directions(Directions kind, Index count, Index d, RandomStream& stream) {
  if (kind == Directions::kOrthogonal) return random_orthonormal(count, d, stream);
  Matrix rows = stream.gaussian_matrix(count, d);
  if (kind == Directions::kUnit)
    for (Index i = 0; i < count; ++i)
      rows.row(i) /= rows.row(i).norm();
  return rows;
}

void require_options(const MemoryOptions& options) {
  require_range(static_cast<double>(options.key_dimension), 1, 4096, "keyDimension");
  require_range(static_cast<double>(options.pairs), 1, 1e6, "pairs");
  require_range(options.gaussian_share, 0, 1, "gaussianShare");
  const bool orthogonal =
      options.keys == Directions::kOrthogonal || options.values == Directions::kOrthogonal;
  if (orthogonal && options.gaussian_share < 1 && options.pairs > options.key_dimension)
    fail(ErrorCode::kOutOfRange, "pairs",
         "are " + std::to_string(options.pairs) + "; at most " +
             std::to_string(options.key_dimension) + " orthogonal ones exist");
}

Index require_memory_prompt(const MatrixRef& prompt) {
  if (prompt.cols() < 2 || prompt.cols() % 2 != 0)
    fail(ErrorCode::kShape, "prompt",
         "has tokens of " + std::to_string(prompt.cols()) +
             " coordinates; a key and a value of equal length are expected");
  if (prompt.rows() < 1) fail(ErrorCode::kShape, "prompt", "is empty");
  return prompt.cols() / 2;
}

}  // namespace

Directions directions(std::string_view name, std::string_view parameter) {
  if (name == "orthogonal") return Directions::kOrthogonal;
  if (name == "gaussian") return Directions::kGaussian;
  if (name == "unit") return Directions::kUnit;
  fail_unknown(parameter, name, {"orthogonal", "gaussian", "unit"});
}

Matrix random_orthonormal(Index count, Index size, RandomStream& stream) {
  if (count > size)
    fail(ErrorCode::kOutOfRange, "count",
         "is " + std::to_string(count) + "; at most " + std::to_string(size) +
             " orthonormal rows exist");
  // Gram and Schmidt on normal vectors gives Haar's measure; the second pass removes what
  // rounding left.
  Matrix rows = stream.gaussian_matrix(count, size);
  for (Index i = 0; i < count; ++i) {
    for (int pass = 0; pass < 2; ++pass)
      for (Index j = 0; j < i; ++j)
        rows.row(i) -= rows.row(i).dot(rows.row(j)) * rows.row(j);
    rows.row(i) /= rows.row(i).norm();
  }
  return rows;
}

MemoryPrompts draw_memory_prompts(const MemoryOptions& options, Index count, RandomStream& stream) {
  require_options(options);
  const Index d = options.key_dimension;
  const Index m = options.pairs;
  require_range(static_cast<double>(count), 1, 1e9, "count");
  require_memory(
      16.0 * static_cast<double>(count) * static_cast<double>(m + 1) * static_cast<double>(d),
      1.5e9, "count");
  MemoryPrompts result;
  result.prompts.tokens.resize(count * (m + 1), 2 * d);
  for (Index i = 0; i < count; ++i) {
    const bool gaussian = std::floor(static_cast<double>(i + 1) * options.gaussian_share) >
                          std::floor(static_cast<double>(i) * options.gaussian_share);
    auto prompt = result.prompts.tokens.middleRows(i * (m + 1), m + 1);
    prompt.topLeftCorner(m, d) =
        draw_directions(gaussian ? Directions::kGaussian : options.keys, m, d, stream);
    prompt.topRightCorner(m, d) =
        draw_directions(gaussian ? Directions::kGaussian : options.values, m, d, stream);
    const auto asked = static_cast<Index>(stream.below(static_cast<std::uint64_t>(m)));
    prompt.bottomLeftCorner(1, d) = prompt.block(asked, 0, 1, d).eval();
    if (options.query_value)
      prompt.bottomRightCorner(1, d) = stream.gaussian_matrix(1, d);
    else
      prompt.bottomRightCorner(1, d).setZero();
    result.asked.push_back(asked);
    result.prompts.starts.push_back((i + 1) * (m + 1));
  }
  return result;
}

Heads memory_heads(Index key_dimension) {
  require_range(static_cast<double>(key_dimension), 1, 4096, "keyDimension");
  const Index d = key_dimension;
  Head head{Matrix::Zero(2 * d, 2 * d), Matrix::Zero(2 * d, 2 * d)};
  head.value.bottomRightCorner(d, d).setIdentity();
  head.query.topLeftCorner(d, d).setIdentity();
  return {head};
}

Matrix memory_targets(const Prompts& prompts) {
  const Index d = require_memory_prompt(prompts.tokens);
  Matrix targets = Matrix::Zero(prompts.count(), 2 * d);
  for (Index i = 0; i < prompts.count(); ++i) {
    const MatrixRef prompt = prompts.prompt(i);
    const Index last = prompt.rows() - 1;
    for (Index t = 0; t <= last; ++t)
      targets.row(i).tail(d) +=
          prompt.row(t).head(d).dot(prompt.row(last).head(d)) * prompt.row(t).tail(d);
  }
  return targets;
}

Vector retrieval_weights(const Heads& heads, const MatrixRef& prompt) {
  require_heads(heads);
  const Index d = require_memory_prompt(prompt);
  require_shape(heads.front().value.rows(), heads.front().query.cols(), 2 * d, 2 * d, "heads");
  const Index n = prompt.rows();
  Matrix given = Matrix::Zero(n, 2 * d);  // the token's share of the output
  for (const Head& head : heads) {
    const Vector asked = head.query * prompt.row(n - 1).transpose();
    const Vector scores = prompt * asked;
    given += scores.asDiagonal() * (prompt * head.value.transpose());
  }
  Vector weights = Vector::Zero(n);
  for (Index t = 0; t < n; ++t) {
    const double square = prompt.row(t).tail(d).squaredNorm();
    if (square > 0) weights(t) = prompt.row(t).tail(d).dot(given.row(t).tail(d)) / square;
  }
  return weights;
}

Vector softmax_retrieval_weights(const MatrixRef& prompt, double inverse_temperature) {
  const Index d = require_memory_prompt(prompt);
  require_range(inverse_temperature, 0, 1e6, "inverseTemperature");
  const Index pairs = prompt.rows() - 1;
  if (pairs < 1) fail(ErrorCode::kShape, "prompt", "has no stored pair");
  Vector scores = inverse_temperature *
                  (prompt.topLeftCorner(pairs, d) * prompt.row(pairs).head(d).transpose());
  const double largest = scores.maxCoeff();
  double sum = 0;
  for (Index j = 0; j < pairs; ++j)
    sum += scores(j) = portable::exp(scores(j) - largest);
  return scores / sum;
}

double crosstalk(Directions keys, Index pairs, Index key_dimension) {
  const auto m = static_cast<double>(pairs);
  const auto d = static_cast<double>(key_dimension);
  switch (keys) {
    case Directions::kOrthogonal:
      return pairs <= key_dimension ? 0.0 : std::numeric_limits<double>::quiet_NaN();
    case Directions::kUnit:
      return (m - 1) / d;
    case Directions::kGaussian:
      return (m + 1) / d;
  }
  fail(ErrorCode::kInternal, "keys", "are of no known kind");
}

}  // namespace attnlab::mhla

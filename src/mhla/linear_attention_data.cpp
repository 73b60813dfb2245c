#include "mhla/linear_attention_data.h"

#include <cmath>
#include <string>

#include "core/nearest_name.h"
#include "core/require.h"
#include "mhla/associative_memory.h"
#include "mhla/features.h"

namespace attnlab::mhla {
namespace {

// Standard deviation of entries from N(0, I / sqrt(size)).
double deviation(Index size, ScaleReading reading) {
  const double root = std::sqrt(static_cast<double>(size));
  return reading == ScaleReading::kVariance ? 1 / std::sqrt(root) : 1 / root;
}

void fill_prompt(PromptKind kind, RandomStream& stream, Eigen::Ref<Matrix> prompt) {
  const Index n = prompt.rows();
  const Index d = prompt.cols();
  if (kind == PromptKind::kWhitened) {
    // d orthonormal rows of length n: Z Z^T = I for their transpose's tokens.
    prompt = random_orthonormal(d, n, stream).transpose();
    return;
  }
  for (Index t = 0; t < n; ++t) {
    if (kind == PromptKind::kOneHot) {
      prompt.row(t).setZero();
      prompt(t, static_cast<Index>(stream.below(static_cast<std::uint64_t>(d)))) = 1;
      continue;
    }
    for (Index j = 0; j < d; ++j) {
      if (kind == PromptKind::kRademacher)
        prompt(t, j) = stream.below(2) == 0 ? -1 : 1;
      else if (kind == PromptKind::kBits)
        prompt(t, j) = static_cast<double>(stream.below(2));
      else
        prompt(t, j) = stream.gaussian();
    }
    if (kind == PromptKind::kConstant) prompt(t, d - 1) = 1;
    if (kind == PromptKind::kDependent) prompt(t, d - 1) = prompt(t, 0) + prompt(t, 1);
  }
}

}  // namespace

ScaleReading scale_reading(std::string_view name) {
  if (name == "variance") return ScaleReading::kVariance;
  if (name == "deviation") return ScaleReading::kDeviation;
  fail_unknown("scale", name, {"variance", "deviation"});
}

Heads random_heads(Index count, Index outputs, Index d, ScaleReading reading,
                   RandomStream& stream) {
  require_range(static_cast<double>(count), 1, 1e6, "heads");
  require_range(static_cast<double>(outputs), 1, 1e6, "outputs");
  require_range(static_cast<double>(d), 1, 1e6, "dimension");
  const double scale = deviation(d, reading);
  Heads heads;
  for (Index h = 0; h < count; ++h) {
    Matrix value = scale * stream.gaussian_matrix(outputs, d);
    Matrix query = scale * stream.gaussian_matrix(d, d);
    heads.push_back({std::move(value), std::move(query)});
  }
  return heads;
}

Prompts random_sequences(Index count, Index length, Index d, ScaleReading reading,
                         RandomStream& stream) {
  require_range(static_cast<double>(length), 1, 1e9, "length");
  Prompts prompts = draw_prompts(PromptKind::kGaussian, count, length, d, stream);
  prompts.tokens *= deviation(length, reading);
  return prompts;
}

Prompts draw_prompts(PromptKind kind, Index count, Index length, Index d, RandomStream& stream) {
  require_range(static_cast<double>(count), 1, 1e9, "count");
  require_range(static_cast<double>(length), 1, 1e9, "length");
  require_range(static_cast<double>(d), 1, 1e6, "dimension");
  if (kind == PromptKind::kWhitened && length < d)
    fail(ErrorCode::kOutOfRange, "length",
         "is " + std::to_string(length) + "; whitened prompts of dimension " + std::to_string(d) +
             " need at least as many tokens");
  const Index least = kind == PromptKind::kConstant ? 2 : kind == PromptKind::kDependent ? 3 : 1;
  if (d < least)
    fail(ErrorCode::kOutOfRange, "dimension",
         "is " + std::to_string(d) + "; these data need at least " + std::to_string(least));
  require_memory(
      8.0 * static_cast<double>(count) * static_cast<double>(length) * static_cast<double>(d),
      1.5e9, "count");
  Prompts prompts;
  prompts.tokens.resize(count * length, d);
  for (Index i = 0; i < count; ++i) {
    fill_prompt(kind, stream, prompts.tokens.middleRows(i * length, length));
    prompts.starts.push_back((i + 1) * length);
  }
  return prompts;
}

Index determined_features(PromptKind kind, Index d) {
  switch (kind) {
    case PromptKind::kGaussian:
    case PromptKind::kBits:
    case PromptKind::kConstant:
      return feature_count(d);
    case PromptKind::kRademacher:
      return feature_count(d) - d * (d - 1);
    case PromptKind::kDependent:
      return feature_count(d - 1);
    case PromptKind::kWhitened:
      return d;
    case PromptKind::kOneHot:
      return d * d;
  }
  fail(ErrorCode::kInternal, "data", "is of no known kind");
}

}  // namespace attnlab::mhla

// Random prompts and heads for tests.
#pragma once

#include <cmath>

#include "core/random.h"
#include "mhla/model.h"
#include "mhla/prompts.h"

namespace attnlab::tests {

inline mhla::Prompts gaussian_prompts(Index count, Index length, Index d, std::uint64_t seed) {
  RandomStream random(seed, stream_of({1, 1}));
  return mhla::equal_prompts(random.gaussian_matrix(count * length, d), length);
}

inline mhla::Heads gaussian_heads(Index count, Index outputs, Index d, std::uint64_t seed) {
  RandomStream random(seed, stream_of({2, 2}));
  mhla::Heads heads;
  const double scale = 1 / std::sqrt(static_cast<double>(d));
  for (Index h = 0; h < count; ++h)
    heads.push_back(
        {scale * random.gaussian_matrix(outputs, d), scale * random.gaussian_matrix(d, d)});
  return heads;
}

// Last-token outputs, a row a prompt.
inline Matrix outputs_of(const mhla::Heads& heads, const mhla::Prompts& prompts) {
  Matrix y(prompts.count(), heads.front().value.rows());
  for (Index i = 0; i < prompts.count(); ++i)
    y.row(i) = mhla::apply(heads, prompts.prompt(i), mhla::OutputMode::kLast);
  return y;
}

}  // namespace attnlab::tests

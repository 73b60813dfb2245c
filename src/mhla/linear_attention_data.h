// Data that linear attention is asked to learn from: the networks of section 4.1 of
// arXiv 2410.10101, and kinds of prompts that determine the answer or do not.
#pragma once

#include <string_view>

#include "core/random.h"
#include "core/types.h"
#include "mhla/model.h"
#include "mhla/prompts.h"

namespace attnlab::mhla {

// Section 4.1 writes N(0, I / sqrt(d)) for the parameters and N(0, I / sqrt(T)) for the tokens,
// which can be read as a variance or as a standard deviation.
enum class ScaleReading { kVariance, kDeviation };
// "variance", "deviation"; throws kUnknownName ("scale").
ScaleReading scale_reading(std::string_view name);

// `count` heads with normal entries, d_out x d and d x d, scaled by d as above.
Heads random_heads(Index count, Index outputs, Index d, ScaleReading reading, RandomStream& stream);
// count sequences of `length` tokens with normal entries, scaled by the length as above.
Prompts random_sequences(Index count, Index length, Index d, ScaleReading reading,
                         RandomStream& stream);

enum class PromptKind {
  kGaussian,    // independent N(0, 1)
  kRademacher,  // -1 or 1: every square is known beforehand
  kBits,        // 0 or 1
  kConstant,    // N(0, 1), and a last coordinate that is always 1
  kDependent,   // N(0, 1), and a last coordinate that is the sum of the first two
  kWhitened,    // sum_t z_t z_t^T = I in every prompt; length >= d
  kOneHot       // one coordinate is 1
};

// count prompts of `length` tokens. Throws kOutOfRange: "length" below d for whitened prompts,
// "dimension" below 2 for constant and below 3 for dependent ones.
Prompts draw_prompts(PromptKind kind, Index count, Index length, Index d, RandomStream& stream);

// How many of the d^2 (d + 1) / 2 features such data span once count and length are large enough
// (derived):
//   gaussian, bits, constant   all of them
//   rademacher                 |z_j|^2 = n for every j: d (d - 1) less
//   dependent                  those of d - 1 coordinates
//   whitened                   d, since every Gram matrix is the same
//   one-hot                    d^2, since <z_j, z_k> = 0 for j != k
Index determined_features(PromptKind kind, Index d);

}  // namespace attnlab::mhla

// Associative memory, arXiv 2410.10101, section 4.2: pairs of keys and values are written into a
// prompt, then a key is asked for.
//
// A prompt is n x 2d, a row a token (the paper's Z is the transpose): tokens (k_j, v_j) for the
// pairs and a last token (q, zeta), q one of the keys. One head V = diag(0, I), Q = diag(I, 0)
// gives
//     y = (0, sum_j <q, k_j> v_j + |q|^2 zeta).
// The last term is the query token reading itself; the paper's eq. (14) leaves it out.
#pragma once

#include <string_view>
#include <vector>

#include "core/random.h"
#include "core/types.h"
#include "mhla/model.h"
#include "mhla/prompts.h"

namespace attnlab::mhla {

enum class Directions {
  kOrthogonal,  // columns of a fresh random orthogonal matrix (Haar) in each prompt
  kGaussian,    // independent N(0, 1)
  kUnit         // independent, uniform on the sphere
};
// "orthogonal", "gaussian", "unit"; throws kUnknownName with `parameter`.
Directions directions(std::string_view name, std::string_view parameter);

struct MemoryOptions {
  Index key_dimension = 4;  // d; tokens have 2d coordinates
  Index pairs = 4;          // for orthogonal keys or values at most d
  Directions keys = Directions::kOrthogonal;
  Directions values = Directions::kOrthogonal;
  // This share of the prompts has Gaussian keys and values instead: prompt i does when
  // floor((i + 1) share) > floor(i share), so that every stretch of the data has the same share.
  double gaussian_share = 0;
  bool query_value = true;  // zeta ~ N(0, I); otherwise zeta = 0
};

struct MemoryPrompts {
  Prompts prompts;           // count prompts of pairs + 1 tokens
  std::vector<Index> asked;  // which pair each one asks for
};

// Throws kOutOfRange (keyDimension, pairs, gaussianShare).
MemoryPrompts draw_memory_prompts(const MemoryOptions& options, Index count, RandomStream& stream);

// The one head above, 2d x 2d.
Heads memory_heads(Index key_dimension);

// count x 2d: the last-token outputs of memory_heads, from the prompts by the formula.
Matrix memory_targets(const Prompts& prompts);

// count x size random orthonormal rows: the first rows of a Haar orthogonal matrix.
Matrix random_orthonormal(Index count, Index size, RandomStream& stream);

// What the last token takes from each token of one prompt, for any heads: the coefficient of the
// token's value part (its last d coordinates) in that token's share of the output,
//     w_t = <v_t, u_t> / |v_t|^2,   (., u_t) = sum_h V_h z_t <z_t, Q_h z_n>.
// For memory_heads this is <q, k_t>. 0 for a token without value. n entries.
Vector retrieval_weights(const Heads& heads, const MatrixRef& prompt);

// softmax(inverse_temperature <q, k_j>) over the stored pairs of one prompt: n - 1 entries.
Vector softmax_retrieval_weights(const MatrixRef& prompt, double inverse_temperature);

// Mean squared error of a value coordinate with N(0, 1) values, zeta = 0 and independent keys
// (derived): (m - 1) / d for keys uniform on the unit sphere, and (m + 1) / d for N(0, I / d).
double crosstalk(Directions keys, Index pairs, Index key_dimension);

}  // namespace attnlab::mhla

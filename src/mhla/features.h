// The features in which multi-head linear attention is a linear model.
// Yau, Akyurek, Mao, Tenenbaum, Jegelka, Andreas, arXiv 2410.10101, Algorithm 2 and Lemma A.3.
//
// The last-token output depends on a prompt only through G = sum_t z_t z_t^T and z_n, and is linear
// in the products G_jk z_{n,l}. G is symmetric, so d (d + 1) / 2 of its entries differ and
//     H(Z) = g (x) z_n,   g = (G_jk, j < k, lexicographic; then G_jj),
// has psi = d^2 (d + 1) / 2 entries, l fastest. The paper's X(Z) (eq. 7) holds every pair twice.
#pragma once

#include <span>
#include <string>

#include "core/types.h"
#include "mhla/prompts.h"

namespace attnlab::mhla {

// d (d + 1) / 2, the length of g.
constexpr Index pair_count(Index d) {
  return d * (d + 1) / 2;
}
// psi = d^2 (d + 1) / 2.
constexpr Index feature_count(Index d) {
  return d * pair_count(d);
}
// Place of (j, k) in g, for any order of j and k.
constexpr Index pair_index(Index d, Index j, Index k) {
  if (j == k) return d * (d - 1) / 2 + j;
  const Index low = j < k ? j : k;
  const Index high = j < k ? k : j;
  return low * (2 * d - low - 1) / 2 + high - low - 1;
}

// j <= k, l: which product of token coordinates a feature is.
struct FeatureName {
  Index j, k, l;
};
FeatureName feature_name(Index d, Index feature);
// "<z_1, z_2> z_3" with coordinates counted from 1: inner product of two coordinates over the
// prompt, times a coordinate of the last token.
std::string feature_text(Index d, Index feature);

// What a linear-attention output depends on, a row a sample.
struct Samples {
  Matrix grams;    // N x d (d + 1) / 2, rows g
  Matrix queries;  // N x d, rows z_n

  Index count() const { return queries.rows(); }
  Index dimension() const { return queries.cols(); }
};

// Throws kOutOfRange where the largest feature is below 1e-135 and not 0: products of two features
// would leave the range of a double. `parameter`
// is the caller's name for the prompts.
void require_scale(const Samples& samples, std::string_view parameter);

// The first coordinate that is not 0 but so small beside others that its cube is below 1e-135; -1
// where there is none.
Index lost_column(const Samples& samples);

// Adds z z^T to g.
void add_outer(const double* z, Index d, double* g);

// One sample a prompt: its last token is the query. Cost N n d^2 / 2.
Samples last_samples(const Prompts& prompts);
// One sample a token, which attends to itself and the tokens before it (the autoregressive
// reading of section 4.1 and appendix C); rows in the order of the tokens. Cost N n d^2.
Samples prefix_samples(const Prompts& prompts);
// One sample a token, which attends to the whole prompt. Cost N n d^2.
Samples full_samples(const Prompts& prompts);

// The features of one sample into out[0 .. psi), times `scale`.
void write_features(const double* g, const double* z, Index d, double scale, double* out);
// N x psi. Memory N psi: for small data; the fits never form it.
Matrix features(const Samples& samples);

}  // namespace attnlab::mhla

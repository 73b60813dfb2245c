// Softmax attention with its exponential cut off after N terms (arXiv 2507.23632), in parallel and
// in recurrent form.
//
//   output_i = sum_j E_N(s_ij) values_j / D_i, s_ij = scale <queries_i, keys_j>,
//   E_N(s) = sum_{n <= N} s^n / n!,  D_i = sum_j E_N(s_ij)
//
// Order 1 is linear attention. |e^s - E_N(s)| <= |s|^(N+1) e^max(s, 0) / (N+1)!. For even N,
// E_N > 0 everywhere; for odd N it has one real zero (taylor_zero), below it weights are negative
// and a denominator can vanish: the result says for how many queries. Do not use odd orders where
// scores lie far below that zero.
#pragma once

#include "core/types.h"

namespace attnlab::attention {

inline constexpr Index kLargestTaylorOrder = 80;

enum class TaylorNorm {
  kDenominator,  // divided by D_i
  kNone,         // the numerator
  kUnitLength    // the numerator divided by its Euclidean length
};

struct TaylorResult {
  Matrix output;           // m x p; NaN in rows whose divisor is exactly 0
  Vector denominators;     // D_i, m
  Index not_positive = 0;  // queries with D_i <= 0
};

double truncated_exponential(double s, Index order);

// The real zero of E_N for odd N (-1, -1.596072, -2.180607, ... for N = 1, 3, 5), by bisection to
// rounding. Throws out-of-range for even orders, which have none.
double taylor_zero(Index order);

// queries m x d, keys n x d, values n x p. Cost m n (d + N + p), memory O(m p).
TaylorResult taylor_attention(const MatrixRef& queries, const MatrixRef& keys,
                              const MatrixRef& values, Index order, double scale,
                              TaylorNorm norm = TaylorNorm::kDenominator);

// All monomials of degree <= N of x, divided by the square root of the factorials of their
// exponents: <phi(x), phi(y)> = E_N(<x, y>). Their number is (d + N choose N), which may pass what
// an Index holds where that has 32 bits.
double taylor_feature_count(Index dimension, Index order);
Vector taylor_features(const VectorRef& x, Index order);

// The recurrent form: a state of fixed size, however many tokens have been read. Every step costs
// (d + N choose N) (p + 1). Throws too-large ("order") when the state would pass 64 MiB.
class TaylorState {
 public:
  TaylorState(Index dimension, Index value_dimension, Index order, double scale);
  void add(const VectorRef& key, const VectorRef& value);
  struct Answer {
    Vector output;  // NaN where the denominator is exactly 0
    double denominator = 0;
  };
  Answer ask(const VectorRef& query) const;

 private:
  Index order_;
  double scale_;
  Matrix state_;  // features x (p + 1): sum phi(key) (value, 1)^T
};

// In the infinite-prompt limit with tokens N(0, I), order N gives a times
// E_k(r^2 / 2) / E_l(r^2 / 2), r = |a|, k = floor((N - 1) / 2), l = floor(N / 2) (derived): exactly
// softmax attention for every odd N, less for even N. N >= 1.
double taylor_gaussian_gain(double r, Index order);

}  // namespace attnlab::attention

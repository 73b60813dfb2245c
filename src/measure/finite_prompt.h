// Softmax over the tokens of one finite prompt, read piece by piece, at several a = t e along one
// direction e: m_n = sum p_i x_i, C_n = sum p_i (x_i - m_n)(x_i - m_n)^T with
// p_i proportional to e^{t <e, x_i>}: the finite-prompt side of arXiv 2512.11784, Propositions 3.1
// (m_n) and 3.4 (C_n). The running sums are derived here.
#pragma once

#include <span>

#include "core/types.h"

namespace attnlab::measure {

struct PromptSummary {
  Vector mean;                       // m_n, d
  Matrix covariance;                 // C_n, d x d; empty unless asked for
  double effective_sample_size = 0;  // (sum w)^2 / sum w^2, in [1, n]
  double largest_weight = 0;         // max p_i
};

// State: running sums with a running maximum, so that no score overflows. O(d) memory a
// magnitude, O(d^2) with covariances. Cost a token and magnitude: one exp and d (or d^2)
// multiply-adds. Cutting the prompt into other pieces changes results by rounding only.
class FinitePrompt {
 public:
  // magnitudes: t >= 0. direction: e, d entries, of length one.
  FinitePrompt(const VectorRef& direction, std::span<const double> magnitudes, bool covariances);
  void clear();
  // tokens: rows x d, further tokens of the same prompt.
  void add(const MatrixRef& tokens);
  // At magnitude number k; at least one token must have been added.
  PromptSummary summary(std::size_t k) const;

 private:
  struct Sums {
    double magnitude = 0;
    double largest = 0;  // score taken out
    double weight = 0;   // sum w, w = e^{score - largest}
    double squared = 0;  // sum w^2
    Vector first;        // sum w x
    Matrix second;       // sum w x x^T
  };
  void rescale(Sums& sums, double largest) const;

  Vector direction_;
  bool covariances_;
  Index count_ = 0;
  Vector scores_;
  std::vector<Sums> sums_;
};

}  // namespace attnlab::measure

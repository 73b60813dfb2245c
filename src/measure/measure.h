// Token measures and attention as an operator on them (arXiv 2512.11784).
//
//   T[mu](z) = V grad Lambda(a),  a = A z,  Lambda(a) = log E_mu exp(<a, x>)
//
// grad Lambda is the mean and Hess Lambda the covariance of mu tilted by e^{<a, x>}. For an
// empirical measure this is softmax attention; for a Gaussian N(m, G) it is m + G a, for every
// positive semi-definite G, also a singular one (Lemma 2.1).
#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "core/random.h"
#include "core/types.h"

namespace attnlab::measure {

struct Tilted {
  double log_partition = 0;  // Lambda(a)
  Vector mean;               // grad Lambda(a), d
  Matrix covariance;         // Hess Lambda(a), d x d
};

class Measure {
 public:
  virtual ~Measure() = default;
  // "gaussian", "empirical", ...: as the library spells it.
  virtual std::string_view kind() const = 0;
  virtual Index dimension() const = 0;
  // Throws kDomain ("a") where Lambda(a) is infinite.
  virtual Tilted tilt(const VectorRef& a) const = 0;
  // Whether Lambda is finite at a.
  virtual bool contains(const VectorRef& a) const = 0;
  // n x d independent draws.
  virtual Matrix sample(RandomStream& random, Index n) const = 0;
};

// mean d, covariance d x d, symmetric positive semi-definite to rounding (singular allowed).
std::unique_ptr<Measure> gaussian(const VectorRef& mean, const MatrixRef& covariance);
// tokens n x d, n >= 1; weights n, >= 0, not all 0, normalised here; empty: all equal.
std::unique_ptr<Measure> empirical(const MatrixRef& tokens, const VectorRef& weights);

// T[mu] at each row of queries (m x dz): A is d x dz, V is p x d; output m x p.
Matrix attend(const Measure& measure, const MatrixRef& A, const MatrixRef& V,
              const MatrixRef& queries);

// How softmax attention over n independent tokens of mu differs from T[mu] at a fixed a, to
// leading order in n. All are limits of n times the named quantity but the last.
struct FiniteConstants {
  double output = 0;                  // n E |V (m_n - m)|^2
  double covariance = 0;              // n E |C_n - Hess|_F^2; NaN where no closed form is known
  Vector bias;                        // n E [m_n - m], d
  double effective_sample_share = 0;  // lim ESS / n = e^{2 Lambda(a) - Lambda(2 a)}
};

// Throws kDomain ("a") where Lambda(2 a) is infinite: no 1/n law holds there.
FiniteConstants constants(const Measure& measure, const VectorRef& a, const MatrixRef& V);

}  // namespace attnlab::measure

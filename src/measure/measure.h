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
  // The same of x - centre: Lambda(a) - <a, centre>, grad Lambda - centre. Keeps the digits that a
  // measure far from the origin, or a large a, takes from the difference.
  virtual Tilted tilt_about(const VectorRef& a, const VectorRef& centre) const;
  // Whether Lambda is finite at a.
  virtual bool contains(const VectorRef& a) const = 0;
  // Fills tokens (n x d) with independent draws, row after row: filling 2 n rows gives the same
  // draws as filling n rows twice.
  virtual void draw(RandomStream& random, Eigen::Ref<Matrix> tokens) const = 0;
  // E |(x - centre)(x - centre)^T - shape|_F^2 under mu tilted by a; what the fluctuations of a
  // covariance are made of. NaN where no closed form is known.
  virtual double tilted_spread(const VectorRef& a, const VectorRef& centre,
                               const MatrixRef& shape) const;
  // n x d independent draws.
  Matrix sample(RandomStream& random, Index n) const;
};

// mean d, covariance d x d, symmetric positive semi-definite to rounding (singular allowed).
std::unique_ptr<Measure> gaussian(const VectorRef& mean, const MatrixRef& covariance);
// tokens n x d, n >= 1; weights n, >= 0, not all 0, normalised here; empty: all equal.
// Draws are rows, with replacement.
std::unique_ptr<Measure> empirical(const MatrixRef& tokens, const VectorRef& weights);

// sum_k weights_k components_k; weights >= 0, not all 0, normalised here. Two Gaussians N(+-m, G)
// of equal weight have grad Lambda = G a + m tanh <a, m>; with equal G, attention is G a plus
// softmax attention over the centroids with bias log weights_k.
std::unique_ptr<Measure> mixture(const VectorRef& weights,
                                 std::vector<std::unique_ptr<Measure>> components);
// Independent signs: grad tanh(a_i).
std::unique_ptr<Measure> rademacher(Index dimension);
// Uniform on [-half_width, half_width]^d: grad c L(c a_i), L(t) = coth t - 1 / t.
std::unique_ptr<Measure> cube(Index dimension, double half_width);
// Uniform on the sphere, or in the ball, of this radius.
std::unique_ptr<Measure> sphere(Index dimension, double radius);
std::unique_ptr<Measure> ball(Index dimension, double radius);
// Coordinates of density e^{-|x| / scale} / (2 scale): only |scale a_i| < 1. Outside, and for laws
// with heavier tails everywhere, attention has no limit: it keeps growing with n.
std::unique_ptr<Measure> laplace(Index dimension, double scale);
// Coordinates exponential of mean 1, less 1: only a_i < 1.
std::unique_ptr<Measure> exponential(Index dimension);

// T[mu] at each row of queries (m x dz): A is d x dz, V is p x d; output m x p. Throws kOutOfRange
// ("queries") where it would leave the range of a double.
Matrix attend(const Measure& measure, const MatrixRef& A, const MatrixRef& V,
              const MatrixRef& queries);

// The law of T[mu](z) for mu = N(m, G) and a Gaussian query z ~ N(b, S): N(V (m + G A b),
// V G A S A^T G V^T). G is d x d, A d x dz, V p x d.
struct GaussianLaw {
  Vector mean;
  Matrix covariance;
};
GaussianLaw push_forward(const GaussianLaw& tokens, const MatrixRef& A, const MatrixRef& V,
                         const GaussianLaw& queries);

// How softmax attention over n independent tokens of mu differs from T[mu] at a fixed a, to
// leading order in n. All are limits of n times the named quantity but the last. With
// rho = e^{Lambda(2 a) - 2 Lambda(a)} (Gaussian: e^q, q = a^T G a), derived by the delta method:
//   output      rho E_{2a} |V (x - m)|^2 = rho (tr V Hess(2a) V^T + |V (grad(2a) - m)|^2)
//   covariance  rho E_{2a} |(x - m)(x - m)^T - Hess(a)|_F^2
//   bias        -rho (grad(2a) - m)
// The relative correction is O(e^{2q} / n) with a large negative constant: do not use these
// below n of about 10 e^{2q}, and not at all where the softmax is frozen (freezing_exponent).
struct FiniteConstants {
  double output = 0;                  // n E |V (m_n - m)|^2
  double covariance = 0;              // n E |C_n - Hess|_F^2; NaN where no closed form is known
  Vector bias;                        // n E [m_n - m], d
  double effective_sample_share = 0;  // lim ESS / n = e^{2 Lambda(a) - Lambda(2 a)}
};

// Throws kDomain ("a") where Lambda(2 a) is infinite: no 1/n law holds there.
FiniteConstants constants(const Measure& measure, const VectorRef& a, const MatrixRef& V);

// Relative entropy of mu tilted by a with respect to mu, <a, grad Lambda(a)> - Lambda(a); q / 2
// for a Gaussian. Below n = e^{this} tokens the softmax is frozen on the largest scores: no token
// of the kind that carries the tilted mean has been drawn yet.
double freezing_exponent(const Measure& measure, const VectorRef& a);

}  // namespace attnlab::measure

#include "core/quadrature.h"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <numbers>

#include "core/portable.h"
#include "core/require.h"

namespace attnlab {
namespace {

constexpr int kNewtonSteps = 4;  // from starts within a few percent of the spacing

// Hermite functions h_k(x) e^(-x^2/4), h_k orthonormal under N(0, 1): with the weight inside the
// recurrence nothing overflows, however large n.
struct HermitePair {
  double last;      // k = n
  double previous;  // k = n - 1
};

HermitePair hermite_functions(Index n, double x) {
  double previous = 0;
  double last = portable::exp(-0.25 * x * x);
  for (Index k = 0; k < n; ++k) {
    const auto order = static_cast<double>(k);
    const double next = (x * last - std::sqrt(order) * previous) / std::sqrt(order + 1);
    previous = last;
    last = next;
  }
  return {last, previous};
}

struct LegendrePair {
  double value;
  double derivative;
};

LegendrePair legendre(Index n, double x) {
  double previous = 0;
  double last = 1;
  for (Index k = 0; k < n; ++k) {
    const auto order = static_cast<double>(k);
    // (k + 1) P_{k+1} = (2 k + 1) x P_k - k P_{k-1}, in the form that loses least near x = 1.
    const double next = x * last + (order / (order + 1)) * (x * last - previous);
    previous = last;
    last = next;
  }
  return {last, static_cast<double>(n) * (previous - x * last) / ((1 - x) * (1 + x))};
}

}  // namespace

QuadratureRule gauss_hermite(Index n) {
  require_range(static_cast<double>(n), 1, 400, "n");
  const auto count = static_cast<double>(n);
  QuadratureRule rule{Vector::Zero(n), Vector::Zero(n)};
  // Starts: eigenvalues of the Jacobi matrix (Golub and Welsch, "Calculation of Gauss quadrature
  // rules", 1969); Newton's method on the Hermite function makes them exact.
  Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver;
  Vector off_diagonal(n - 1);
  for (Index k = 0; k + 1 < n; ++k)
    off_diagonal(k) = std::sqrt(static_cast<double>(k + 1));
  solver.computeFromTridiagonal(Vector::Zero(n), off_diagonal, Eigen::EigenvaluesOnly);
  for (Index i = n / 2; i < n; ++i) {
    const bool middle = 2 * i + 1 == n;
    double x = middle ? 0 : solver.eigenvalues()(i);
    for (int step = 0; step < kNewtonSteps && !middle; ++step) {
      const HermitePair pair = hermite_functions(n, x);
      x -= pair.last / (std::sqrt(count) * pair.previous);
    }
    const double previous = hermite_functions(n, x).previous;
    // w = 1 / (n h_{n-1}^2); the two halves of e^(-x^2/2) in turn, lest the quotient overflow.
    const double factor = portable::exp(-0.25 * x * x);
    const double weight = factor / previous * (factor / previous) / count;
    rule.nodes(i) = x;
    rule.weights(i) = weight;
    rule.nodes(n - 1 - i) = -x;
    rule.weights(n - 1 - i) = weight;
  }
  if (n % 2 == 1) rule.nodes(n / 2) = 0;
  return rule;
}

QuadratureRule gauss_legendre(Index n, double lower, double upper) {
  require_range(static_cast<double>(n), 1, 1000, "n");
  require_finite(lower, "lower");
  require_finite(upper, "upper");
  QuadratureRule rule{Vector::Zero(n), Vector::Zero(n)};
  const double middle = 0.5 * lower + 0.5 * upper;
  const double half = 0.5 * upper - 0.5 * lower;
  for (Index i = n / 2; i < n; ++i) {
    // Tricomi's start; i counts nodes from the smallest.
    const double angle =
        std::numbers::pi * (static_cast<double>(n - i) - 0.25) / (static_cast<double>(n) + 0.5);
    double x = 2 * i + 1 == n ? 0 : portable::cos(angle);
    LegendrePair pair = legendre(n, x);
    for (int step = 0; step < kNewtonSteps && x != 0; ++step) {
      x -= pair.value / pair.derivative;
      pair = legendre(n, x);
    }
    // Near the ends the formula multiplies what rounding took from the node by 2 x / (1 - x^2), up
    // to n^2; the last Newton step, not taken, tells how much that was.
    const double inside = (1 - x) * (1 + x);
    const double rounding = -pair.value / pair.derivative;
    const double weight =
        2 / (inside * pair.derivative * pair.derivative) * (1 - 2 * x / inside * rounding);
    rule.nodes(i) = middle + half * x;
    rule.weights(i) = half * weight;
    rule.nodes(n - 1 - i) = middle - half * x;
    rule.weights(n - 1 - i) = half * weight;
  }
  return rule;
}

}  // namespace attnlab

#include "core/quadrature.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "core/error.h"
#include "reference.h"

using namespace attnlab;
using attnlab::tests::close;

namespace {

template <class Function>
double integrate(const QuadratureRule& rule, Function function) {
  double sum = 0;
  for (Index i = 0; i < rule.nodes.size(); ++i)
    sum += rule.weights(i) * function(rule.nodes(i));
  return sum;
}

}  // namespace

TEST_CASE("Gauss-Hermite rules with 1 to 3 nodes are the known ones") {
  CHECK(gauss_hermite(1).nodes(0) == 0);
  CHECK(close(gauss_hermite(1).weights(0), 1, 1e-15, 0));
  const QuadratureRule two = gauss_hermite(2);
  CHECK(close(two.nodes(0), -1, 1e-15, 0));
  CHECK(close(two.nodes(1), 1, 1e-15, 0));
  CHECK(close(two.weights(0), 0.5, 2e-15, 0));
  const QuadratureRule three = gauss_hermite(3);
  CHECK(close(three.nodes(2), std::sqrt(3.0), 1e-15, 0));
  CHECK(three.nodes(1) == 0);
  CHECK(close(three.weights(0), 1.0 / 6, 2e-15, 0));
  CHECK(close(three.weights(1), 2.0 / 3, 2e-15, 0));
}

TEST_CASE("Gauss-Hermite rules give the normal's moments up to degree 2 n - 1") {
  for (const Index n : {1, 2, 3, 4, 5, 8, 13, 20, 40, 41}) {
    const QuadratureRule rule = gauss_hermite(n);
    double moment = 1;  // (2 k - 1)!!
    for (Index k = 0; 2 * k <= 2 * n - 1; ++k) {
      const double found =
          integrate(rule, [&](double x) { return std::pow(x, static_cast<double>(2 * k)); });
      CHECK(close(found, moment, 1e-13, 0));
      moment *= static_cast<double>(2 * k + 1);
    }
    CHECK(std::fabs(integrate(rule, [](double x) { return x; })) < 1e-15);
  }
}

TEST_CASE("Gauss-Hermite rules of every size sum to one and integrate cosines and exponentials") {
  for (Index n = 1; n <= 400; n += (n < 20 ? 1 : 19)) {
    const QuadratureRule rule = gauss_hermite(n);
    CHECK(close(rule.weights.sum(), 1, 1e-13, 0));
    bool ordered = true;
    for (Index i = 1; i < n; ++i)
      ordered = ordered && rule.nodes(i) > rule.nodes(i - 1);
    CHECK(ordered);
    CHECK(rule.weights.minCoeff() >= 0);
    if (n < 350) CHECK(rule.weights.minCoeff() > 0);
    if (n < 30) continue;
    CHECK(close(integrate(rule, [](double x) { return std::cos(2 * x); }), std::exp(-2.0), 1e-13,
                1e-14));
    CHECK(
        close(integrate(rule, [](double x) { return std::exp(3 * x); }), std::exp(4.5), 1e-13, 0));
    CHECK(close(integrate(rule, [](double x) { return x * x * x * x; }), 3, 1e-13, 0));
  }
}

TEST_CASE("Gauss-Hermite nodes and weights for n = 400 agree with 60-digit arithmetic") {
  const QuadratureRule rule = gauss_hermite(400);
  CHECK(close(rule.nodes(200), 0.07849079465071934, 3e-15, 0));
  CHECK(close(rule.weights(200), 0.06243405496472331, 1e-12, 0));
  CHECK(close(rule.nodes(250), 7.980768456572801, 3e-15, 0));
  CHECK(close(rule.weights(250), 9.43803684524982e-16, 1e-12, 0));
  CHECK(close(rule.nodes(300), 16.233375323159187, 3e-15, 0));
  CHECK(close(rule.weights(300), 4.098319286786194e-59, 1e-12, 0));
  CHECK(close(rule.nodes(350), 25.467556886854016, 3e-15, 0));
  CHECK(close(rule.weights(350), 1.1709000699752491e-142, 1e-12, 0));
  CHECK(close(rule.nodes(380), 32.30836361009031, 3e-15, 0));
  CHECK(close(rule.weights(380), 2.2951781834617932e-228, 1e-12, 0));
  CHECK(close(rule.nodes(399), 39.1619418209395, 3e-15, 0));
  CHECK(close(rule.weights(399), 0.0, 1e-12, 0));
}

TEST_CASE("Gauss-Legendre rules with 1 to 3 nodes are the known ones") {
  CHECK(gauss_legendre(1).nodes(0) == 0);
  CHECK(close(gauss_legendre(1).weights(0), 2, 1e-15, 0));
  CHECK(close(gauss_legendre(2).nodes(1), 1 / std::sqrt(3.0), 1e-15, 0));
  const QuadratureRule three = gauss_legendre(3);
  CHECK(close(three.nodes(2), std::sqrt(0.6), 1e-15, 0));
  CHECK(close(three.weights(1), 8.0 / 9, 2e-15, 0));
  CHECK(close(three.weights(2), 5.0 / 9, 2e-15, 0));
}

TEST_CASE("Gauss-Legendre rules integrate powers up to degree 2 n - 1") {
  for (const Index n : {1, 2, 3, 4, 5, 8, 13, 20, 51, 100}) {
    const QuadratureRule rule = gauss_legendre(n);
    for (Index k = 0; k <= 2 * n - 1; ++k) {
      const auto degree = static_cast<double>(k);
      const double exact = k % 2 == 0 ? 2 / (degree + 1) : 0;
      CHECK(close(integrate(rule, [&](double x) { return std::pow(x, degree); }), exact, 1e-13,
                  1e-15));
    }
  }
}

TEST_CASE("Gauss-Legendre rules of every size integrate over any interval") {
  for (Index n = 1; n <= 1000; n += (n < 20 ? 1 : 89)) {
    const QuadratureRule rule = gauss_legendre(n, 2, 7);
    CHECK(close(rule.weights.sum(), 5, 1e-13, 0));
    CHECK(rule.weights.minCoeff() > 0);
    CHECK(rule.nodes(0) > 2);
    CHECK(rule.nodes(n - 1) < 7);
    bool ordered = true;
    for (Index i = 1; i < n; ++i)
      ordered = ordered && rule.nodes(i) > rule.nodes(i - 1);
    CHECK(ordered);
    if (n < 16) continue;  // 1 / x: the error is 3.3^(-2 n)
    CHECK(close(integrate(rule, [](double x) { return std::log(x); }),
                7 * std::log(7.0) - 2 * std::log(2.0) - 5, 1e-13, 0));
    CHECK(close(integrate(rule, [](double x) { return 1 / x; }), std::log(3.5), 1e-13, 0));
  }
  CHECK(close(gauss_legendre(6, 3, -1).weights.sum(), -4, 1e-14, 0));
}

TEST_CASE("Gauss-Legendre nodes and weights for n = 1000 agree with 60-digit arithmetic") {
  const QuadratureRule rule = gauss_legendre(1000);
  CHECK(close(rule.nodes(500), 0.0015700104800831938, 0, 3e-16));
  CHECK(close(rule.weights(500), 0.003140018380182868, 1e-12, 0));
  CHECK(close(rule.nodes(600), 0.3103604992280728, 0, 3e-16));
  CHECK(close(rule.weights(600), 0.002984964569140165, 1e-12, 0));
  CHECK(close(rule.nodes(900), 0.951347071588317, 0, 3e-16));
  CHECK(close(rule.weights(900), 0.0009675066566579679, 1e-12, 0));
  CHECK(close(rule.nodes(990), 0.999531265993324, 0, 3e-16));
  CHECK(close(rule.weights(990), 9.611747354547057e-05, 1e-12, 0));
  CHECK(close(rule.nodes(999), 0.9999971112980756, 0, 3e-16));
  CHECK(close(rule.weights(999), 7.413338416432072e-06, 1e-12, 0));
}

TEST_CASE("a rule without nodes, with too many, or on an infinite interval is refused by name") {
  CHECK_THROWS_WITH_AS(gauss_hermite(0), "n: is 0; 1 to 400 is allowed", Error);
  CHECK_THROWS_WITH_AS(gauss_hermite(401), "n: is 401; 1 to 400 is allowed", Error);
  CHECK_THROWS_WITH_AS(gauss_legendre(1001), "n: is 1001; 1 to 1000 is allowed", Error);
  CHECK_THROWS_WITH_AS(gauss_legendre(5, -INFINITY, 0),
                       "lower: is -Infinity; a finite number is expected", Error);
  CHECK_THROWS_WITH_AS(gauss_legendre(5, 0, NAN), "upper: is NaN; a finite number is expected",
                       Error);
}

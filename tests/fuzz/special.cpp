// Special functions and Gauss rules, at any double.
#include "core/special.h"

#include <cmath>

#include "core/portable.h"
#include "core/quadrature.h"
#include "target.h"

namespace attnlab::fuzz {
namespace {

void check_softmax(Input& input) {
  const Vector x = input.vector(input.count(0, 9));
  const double log_sum = log_sum_exp(x);
  const Vector weights = softmax(x);
  expect(weights.size() == x.size(), "the weights' size");
  if (x.size() == 0 || !x.allFinite()) return;
  expect_finite(log_sum, "log-sum-exp");
  expect(log_sum >= x.maxCoeff(), "log-sum-exp is below the largest");
  expect(weights.minCoeff() >= 0, "a weight is below 0");
  expect_between(1, weights.sum(), 1, 1e-12, "the sum of the weights");
}

// The shape of each function, for every double that is a number.
void check_scalars(Input& input) {
  const double x = input.number();
  const double q = normal_quantile(x);
  const double log_g = log_gamma(x);
  if (std::isnan(x)) return;
  expect_between(0, sigmoid(x), 1, 0, "sigmoid");
  expect_between(0, normal_cdf(x), 1, 0, "normal_cdf");
  expect(softplus(x) >= 0 && softplus(x) >= x, "softplus");
  expect(normal_density(x) >= 0 && normal_density(x) < 0.4, "normal_density");
  expect(std::isnan(q) == !(x >= 0 && x <= 1), "normal_quantile outside [0, 1]");
  if (x > 0) expect(!std::isnan(log_g), "log_gamma of a positive number");
  if (x < 0) expect(std::isnan(log_g), "log_gamma below 0");
  expect_between(-1, portable::erf(x), 1, 0, "erf");
  expect(portable::exp(x) >= 0, "exp");
}

void check_rules(Input& input) {
  const Index n = input.count(0, 60) - 1;
  const auto hermite = gauss_hermite(n);
  expect_between(1, hermite.weights.sum(), 1, 1e-12, "the weights of Hermite's rule");
  const double lower = input.number();
  const double upper = input.number();
  const auto legendre = gauss_legendre(n, lower, upper);
  expect_finite(legendre.nodes, "a node");
  expect_finite(legendre.weights, "a weight");
}

void run(Input& input) {
  static constexpr void (*kChecks[])(Input&) = {check_softmax, check_scalars, check_scalars,
                                                check_rules};
  accepted([&] { input.one_of(kChecks)(input); });
}

const Target kTarget("special", run);

}  // namespace
}  // namespace attnlab::fuzz

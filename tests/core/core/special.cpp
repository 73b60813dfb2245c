#include "core/special.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "core/random.h"
#include "reference.h"
#include "ulp.h"

using namespace attnlab;
using attnlab::tests::close;
using attnlab::tests::kReferenceUlp;
using attnlab::tests::opaque;
using attnlab::tests::ulps;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Largest error at `count` points uniform on [lower, upper].
template <class Function, class Reference>
double worst(Function function, Reference reference, double lower, double upper, int count) {
  RandomStream stream(53, static_cast<std::uint64_t>(count));
  double result = 0;
  for (int i = 0; i < count; ++i) {
    const double x = lower + (upper - lower) * stream.uniform();
    result = std::fmax(result, ulps(function(x), reference(static_cast<long double>(x))));
  }
  return result;
}

long double reference_cdf(long double x) {
  return std::erfc(-x / std::numbers::sqrt2_v<long double>) / 2;
}

}  // namespace

TEST_CASE("log-sum-exp does not overflow and has its closed forms") {
  Vector x(4);
  x << 1e4, 1e4, -1e4, 1e4;
  CHECK(log_sum_exp(x) == 1e4 + std::log(3.0));
  x << -1e4, -1e4, -1e4, -1e4;
  CHECK(close(log_sum_exp(x), -1e4 + std::log(4.0), 1e-15, 0));
  x << -kInfinity, 0, -kInfinity, 0;
  CHECK(close(log_sum_exp(x), std::log(2.0), 1e-15, 0));
  x << -kInfinity, -kInfinity, -kInfinity, -kInfinity;
  CHECK(log_sum_exp(x) == -kInfinity);
  x << 0, kNaN, 1, 2;
  CHECK(std::isnan(log_sum_exp(x)));
  CHECK(log_sum_exp(Vector(0)) == -kInfinity);
  x << 0.5, -1.25, 3, 0;
  CHECK(close(log_sum_exp(x), std::log(std::exp(0.5) + std::exp(-1.25) + std::exp(3.0) + 1), 1e-15,
              0));
}

TEST_CASE("softmax sums to one and equals the ratio of exponentials") {
  Vector x(3);
  x << 1e4, 1e4 + 1, 1e4 - 700;
  const Vector result = softmax(x);
  CHECK(close(result(0), 1 / (1 + std::exp(1.0)), 1e-15, 0));
  CHECK(close(result(1), std::exp(1.0) / (1 + std::exp(1.0)), 1e-15, 0));
  CHECK(close(result(2), std::exp(-701.0) / (1 + std::exp(-1.0)), 1e-13, 0));
  CHECK(close(result.sum(), 1, 1e-15, 0));
  CHECK(softmax(Vector(0)).size() == 0);
  CHECK(softmax(Vector::Constant(1, -1e300))(0) == 1);
}

TEST_CASE("softplus is within 2 ulp and has both asymptotes") {
  const auto reference = [](long double x) {
    return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
  };
  CHECK(worst(softplus, reference, -5, 5, 20000) < 2 + 2 * kReferenceUlp);
  CHECK(worst(softplus, reference, -740, 740, 20000) < 2 + 2 * kReferenceUlp);
  CHECK(softplus(1e300) == 1e300);
  CHECK(softplus(-1e300) == 0);
  CHECK(softplus(kInfinity) == kInfinity);
  CHECK(std::isnan(softplus(kNaN)));
}

TEST_CASE("sigmoid is within 2.5 ulp in both tails") {
  const auto reference = [](long double x) { return 1 / (1 + std::exp(-x)); };
  CHECK(worst(sigmoid, reference, -5, 5, 20000) < 2.5 + kReferenceUlp);
  CHECK(worst(sigmoid, reference, -740, 740, 20000) < 2.5 + kReferenceUlp);
  CHECK(sigmoid(0) == 0.5);
  CHECK(sigmoid(-kInfinity) == 0);
  CHECK(sigmoid(kInfinity) == 1);
  CHECK(std::isnan(sigmoid(kNaN)));
}

TEST_CASE("the normal density and distribution are within 3.5 and 3 ulp in the tails") {
  const auto density = [](long double x) {
    return std::exp(-x * x / 2) / std::sqrt(opaque(2 * std::numbers::pi_v<long double>));
  };
  // In double precision the reference loses x^2 / 2 ulp.
  const double slack = kReferenceUlp * 300;
  CHECK(worst(normal_density, density, -3, 3, 20000) < 3.5 + 5 * kReferenceUlp);
  CHECK(worst(normal_density, density, -38, 38, 20000) < 3.5 + slack);
  CHECK(worst(normal_cdf, reference_cdf, -3, 3, 20000) < 3 + 5 * kReferenceUlp);
  CHECK(worst(normal_cdf, reference_cdf, -37.5, 8, 20000) < 3 + 2 * slack);
  CHECK(normal_density(0) == 0.3989422804014327);
  CHECK(normal_density(-kInfinity) == 0);
  CHECK(normal_cdf(0) == 0.5);
  CHECK(normal_cdf(kInfinity) == 1);
  CHECK(normal_cdf(-kInfinity) == 0);
  CHECK(std::isnan(normal_cdf(kNaN)));
}

TEST_CASE("the normal quantile inverts the distribution and has its tabulated values") {
  // 30-digit arithmetic.
  CHECK(close(normal_quantile(0.975), 1.9599639845400545, 4e-16, 0));
  CHECK(close(normal_quantile(0.025), -1.9599639845400545, 4e-16, 0));
  CHECK(close(normal_quantile(0.1), -1.2815515655446004, 4e-16, 0));
  CHECK(close(normal_quantile(1e-10), -6.361340902404056, 4e-16, 0));
  CHECK(close(normal_quantile(1e-300), -37.0470962993612, 4e-16, 0));
  CHECK(close(normal_quantile(0.5 + 0x1p-50), 2.2263331397374137e-15, 4e-16, 0));
  CHECK(normal_quantile(0.5) == 0);
  CHECK(normal_quantile(0) == -kInfinity);
  CHECK(normal_quantile(1) == kInfinity);
  CHECK(std::isnan(normal_quantile(-0.1)));
  CHECK(std::isnan(normal_quantile(1.1)));
  RandomStream stream(59, 0);
  for (int i = 0; i < 5000; ++i) {
    const double p = i % 2 == 0 ? 0.5 * stream.uniform() : std::exp(-700 * stream.uniform());
    const double x = normal_quantile(p);
    // One ulp of x moves log p by about x^2 ulp.
    CHECK(close(normal_cdf(x), p, (4 * x * x + 8) * 0x1p-53, 0));
  }
}

TEST_CASE("log gamma agrees with long double to 2e-15 and with factorials") {
  RandomStream stream(61, 0);
  const auto check = [](double x) {
    const auto expected = static_cast<double>(std::lgamma(static_cast<long double>(x)));
    CHECK(close(log_gamma(x), expected, 2e-15, 0));
  };
  for (int i = 0; i < 3000; ++i) {
    check(3 * stream.uniform());
    check(12 * stream.uniform());
    check(std::exp(600 * (2 * stream.uniform() - 1)));
    check(1 + 1e-6 * (stream.uniform() - 0.5));
    check(2 + 1e-6 * (stream.uniform() - 0.5));
  }
  CHECK(log_gamma(1) == 0);
  CHECK(log_gamma(2) == 0);
  CHECK(close(log_gamma(5), std::log(24.0), 1e-15, 0));
  CHECK(close(log_gamma(0.5), 0.5 * std::log(std::numbers::pi), 1e-15, 0));
  CHECK(log_gamma(0) == kInfinity);
  CHECK(log_gamma(kInfinity) == kInfinity);
  CHECK(std::isnan(log_gamma(-0.5)));
}

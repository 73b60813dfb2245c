#include "needle/attention_moments.h"

#include <doctest/doctest.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/error.h"
#include "needle/monte_carlo_risk.h"
#include "needle/population_risk.h"
#include "reference.h"

using namespace attnlab;
using namespace attnlab::needle;
using attnlab::tests::close;

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();
}

TEST_CASE("a key with an orthogonal part costs softmax at L = 2, nu = 4 from .1155 to .2369") {
  const MomentEvaluator evaluator({Model::kSpiked, 4, {2, 2}, 0}, Kernel::kSoftmax);
  const double expected[][2] = {{0, .1155}, {.25, .1246}, {1, .1508}, {4, .2369}};
  for (const auto& row : expected)
    CHECK(close(evaluator.at({2, std::sqrt(row[0]), 0}).best_risk(), row[1], 0, 1.5e-4));
}

TEST_CASE("quadrature and Monte Carlo agree for every kernel and every law of the needle") {
  const Problem problems[] = {{Model::kSpiked, 2, {3, 3}, 0},
                              {Model::kSpiked, 5, {1, 3}, 0},
                              {Model::kMax, 2, {3, 3}, 0},
                              {Model::kMax, kInfinity, {4, 4}, 0},
                              {Model::kMax, kInfinity, {1, 3}, 0}};
  std::uint64_t stream = 0;
  for (const auto& problem : problems)
    for (const Kernel kernel : {Kernel::kSoftmax, Kernel::kLinear, Kernel::kErf, Kernel::kSoftplus,
                                Kernel::kRelu, Kernel::kCentredLinear, Kernel::kErfToken})
      for (const double noise : {0.0, 0.6}) {
        if (kernel == Kernel::kRelu && problem.model == Model::kMax && noise > 0) continue;
        const double scale = 1.3, output = 0.7, power = 0.6, bias = -0.4;
        const AttentionMoments moments = MomentEvaluator(problem, kernel).at({scale, noise, bias});
        const double risk = 1 - 2 * output * moments.needle + power * moments.square;
        CAPTURE(std::string(kernel_name(kernel)));
        CHECK(close(moments.gap, moments.square - moments.needle * moments.needle, 0, 1e-10));
        Overlaps overlaps;
        overlaps.key = scale;
        overlaps.key_power = scale * scale + noise * noise;
        overlaps.value = output;
        overlaps.value_power = power;
        RandomStream random(11, ++stream);
        const RiskEstimate simulated =
            risk_monte_carlo(problem, kernel, bias, overlaps, 2500, random);
        CHECK(simulated.standard_error < 0.06);
        CHECK(close(risk, simulated.risk, 0, 3.7 * simulated.standard_error + 1e-9));
      }
}

TEST_CASE("the mean square of erf at mean zero is an arcsine") {
  for (const double g : {0.0, 0.05, 0.1, 0.7, 3.0, 20.0}) {
    const double expected = 2 / 3.141592653589793 * std::asin(2 * g * g / (1 + 2 * g * g));
    CHECK(close(erf_square_mean(0, g), expected, 1e-11, 1e-15));
  }
  CHECK(close(erf_square_mean(0.5, 0), std::erf(0.5) * std::erf(0.5), 1e-13, 0));
}

TEST_CASE("the expected maximum of two and three normals is known in closed form") {
  CHECK(expected_maximum(1) == 0);
  CHECK(close(expected_maximum(2), 1 / std::sqrt(3.141592653589793), 1e-12, 0));
  CHECK(close(expected_maximum(3), 1.5 / std::sqrt(3.141592653589793), 1e-12, 0));
  CHECK(close(expected_maximum(5), 1.16296447364052, 1e-11, 0));
}

TEST_CASE("halving a very large scale still resolves softmax") {
  // For nu = Infinity the risk is c/m to leading order.
  const MomentEvaluator evaluator({Model::kMax, kInfinity, {3, 3}, 0}, Kernel::kSoftmax);
  const double at_150 = evaluator.at({150, 0, 0}).best_risk();
  const double at_75 = evaluator.at({75, 0, 0}).best_risk();
  CHECK(close(at_75 / at_150, 2, 0, 0.02));
}

TEST_CASE("under max the posterior's own scale is best, however sharp it is") {
  for (const Index length : {2, 10, 100}) {
    for (const double nu : {2.0, 8.0, 16.0, 24.0, 32.0, 64.0}) {
      Problem problem;
      problem.model = Model::kMax;
      problem.lengths = {length, length};
      problem.snr = nu;
      const MomentEvaluator evaluator(problem, Kernel::kSoftmax);
      const double bayes = bayes_risk(problem).risk;
      const AttentionMoments own = evaluator.at({nu, 0, 0});
      INFO("L = ", length, ", nu = ", nu);
      // A = B and 1 - A is the Bayes risk (Nishimori).
      CHECK(std::abs(own.gap / own.square - bayes) < 1e-8);
      CHECK(std::abs(own.needle - own.square) < 1e-8);
      for (const double factor : {0.5, 0.8, 1.3, 3.0})
        if (factor * nu <= 1000) CHECK(evaluator.at({factor * nu, 0, 0}).best_risk() > bayes);
    }
  }
}

TEST_CASE("under max the risk at two tokens is the one-dimensional integral, also of sharp ones") {
  // L = 2: both posteriors are sigmoids of the difference d = chi_1 - chi_2 ~ N(0, 2).
  const auto moments = [](double nu, double scale) {
    const double step = 0.01 / std::max(nu, scale);
    double needle = 0;
    double square = 0;
    for (double d = -14; d <= 14; d += step) {
      if (std::abs(d) * std::min(nu, scale) > 60) continue;
      const double mass = step * std::exp(-d * d / 4) / std::sqrt(4 * 3.141592653589793);
      const double given = 1 / (1 + std::exp(-nu * d));
      const double own = 1 / (1 + std::exp(-scale * d));
      needle += mass * (1 - given * own - (1 - given) * (1 - own));
      square += mass * 2 * own * (1 - own);
    }
    return std::pair(needle, square);
  };
  Problem problem;
  problem.model = Model::kMax;
  problem.lengths = {2, 2};
  for (const auto& [nu, scale] :
       {std::pair{64.0, 192.0}, {64.0, 20.0}, {16.0, 16.0}, {5.0, 300.0}}) {
    problem.snr = nu;
    const AttentionMoments found = MomentEvaluator(problem, Kernel::kSoftmax).at({scale, 0, 0});
    const auto [miss, overlap] = moments(nu, scale);
    INFO("nu = ", nu, ", scale = ", scale);
    CHECK(std::abs(1 - found.needle - miss) < 1e-9);
    CHECK(std::abs(1 - found.square - overlap) < 1e-9);
  }
}

TEST_CASE("relu without a scale and relu under max with noise are refused") {
  CHECK_THROWS_AS(MomentEvaluator({Model::kSpiked, 1, {2, 2}, 0}, Kernel::kRelu).at({0, 0, 0}),
                  Error);
  CHECK_THROWS_AS(MomentEvaluator({Model::kMax, 1, {2, 2}, 0}, Kernel::kRelu).at({1, 1, 0}), Error);
  CHECK_THROWS_AS(MomentEvaluator({Model::kSpiked, 1, {2, 2}, 0}, Kernel::kSoftmax).at({-1, 0, 0}),
                  Error);
}

#include "needle/population_risk.h"

#include <doctest/doctest.h>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>

#include "core/error.h"
#include "reference.h"

using namespace attnlab;
using namespace attnlab::needle;
using attnlab::tests::close;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Problem problem_of(const nlohmann::json& entry) {
  const bool infinite = entry["snr"].is_string();
  const Index length = entry["length"].get<Index>();
  return {model_named(entry["model"].get<std::string>()),
          infinite ? kInfinity : entry["snr"].get<double>(),
          {length, length},
          0};
}

Problem spiked(Index length, double snr) {
  return {Model::kSpiked, snr, {length, length}, 0};
}
Problem argmax(Index length) {
  return {Model::kMax, kInfinity, {length, length}, 0};
}

// Bayes risk at L = 2: one integral over the difference of the two scores, u ~ N(nu, 2 nu).
double bayes_of_two(double nu) {
  double sum = 0;
  const double step = 0.02;
  for (int i = -4000; i <= 4000; ++i) {
    const double u = nu + step * i;
    sum += 1 / (1 + std::cosh(u)) * std::exp(-(u - nu) * (u - nu) / (4 * nu));
  }
  return sum * step / std::sqrt(4 * 3.141592653589793 * nu);
}

}  // namespace

TEST_CASE("every reference population case holds for Bayes, softmax, linear, erf and softplus") {
  for (const auto& entry : attnlab::tests::reference("needle-population")["cases"]) {
    const Problem problem = problem_of(entry);
    CAPTURE(entry.dump());
    const bool infinite = std::isinf(problem.snr);
    if (!infinite) {
      const double expected = entry["bayes"].get<double>();
      const double error = 3 * entry["bayes_se"].get<double>();
      CHECK(close(bayes_risk(problem).risk, expected, 0, error));
      const OptimalRisk softmax = optimal_risk(problem, Kernel::kSoftmax);
      CHECK(close(softmax.risk, expected, 0, error));
      // Proposition 4.2, which the optimum takes for granted: no other scale has a smaller risk.
      const MomentEvaluator evaluator(problem, Kernel::kSoftmax);
      for (const double factor : {0.5, 0.9, 1.1, 2.0})
        CHECK(evaluator.at({factor * posterior_scale(problem), 0, 0}).best_risk() > softmax.risk);
      CHECK(close(softmax.risk, bayes_risk(problem).risk, 1e-6, 1e-12));
      CHECK(close(softmax.output, 1, 1e-3, 0));
    } else {
      CHECK(bayes_risk(problem).risk == 0);
      CHECK(close(expected_maximum(problem.lengths.minimum),
                  entry["expected_maximum"].get<double>(), 0, 5.1e-6));
      CHECK(close(best_elementwise_risk(problem.lengths.minimum),
                  entry["elementwise_best"].get<double>(), 1e-12, 0));
    }
    // Under max the case rounds mu_L to five digits; d E/d mu = 2 mu/L.
    CHECK(close(optimal_risk(problem, Kernel::kLinear).risk, entry["linear_optimum"].get<double>(),
                infinite ? 0 : 1e-12, infinite ? 8e-6 : 0));
    if (entry.contains("erf_optimum"))
      CHECK(close(optimal_risk(problem, Kernel::kErf).risk, entry["erf_optimum"].get<double>(), 0,
                  entry["erf_tol"].get<double>()));
    CHECK(close(optimal_risk(problem, Kernel::kSoftplus).risk,
                entry["softplus_optimum"].get<double>(), 0, entry["softplus_tol"].get<double>()));
  }
}

TEST_CASE("the Bayes risk at two tokens is the one-dimensional integral") {
  for (const double nu : {0.01, 1.0, 2.0, 4.0, 5.0, 9.0, 16.0, 36.0})
    CHECK(close(bayes_risk(spiked(2, nu)).risk, bayes_of_two(nu), 1e-8, 0));
  // To all digits also where 1 - A would have lost them.
  CHECK(close(bayes_risk(spiked(2, 64)).risk, bayes_of_two(64), 1e-8, 0));
}

TEST_CASE("softmax falls like exp(-nu/4) and linear like L/nu") {
  // Ratios of the exact risk to (L-1) sqrt(pi/(4 nu)) e^(-nu/4), by quadrature at L = 2.
  CHECK(close(bayes_risk(spiked(2, 9)).risk / softmax_rate(2, 9), 0.824, 0, 6e-4));
  CHECK(close(bayes_risk(spiked(2, 16)).risk / softmax_rate(2, 16), 0.884, 0, 6e-4));
  CHECK(close(bayes_risk(spiked(2, 36)).risk / softmax_rate(2, 36), 0.941, 0, 6e-4));
  CHECK(close(bayes_risk(spiked(3, 9)).risk / softmax_rate(3, 9), 0.752, 0, 3e-3));
  for (const Index length : {2, 3, 7, 40})
    CHECK(close(optimal_risk(spiked(length, 1000), Kernel::kLinear).risk /
                    linear_rate(static_cast<double>(length), 1000),
                1, 0, static_cast<double>(length) * static_cast<double>(length) / 900));
}

TEST_CASE("the closed form of linear attention is the minimum of its own risk over the scale") {
  for (const auto& problem :
       {spiked(2, 1), spiked(3, 4), spiked(10, 9), argmax(3), Problem{Model::kMax, 2, {3, 3}, 0},
        Problem{Model::kSpiked, 5, {1, 3}, 0}, Problem{Model::kMax, kInfinity, {1, 3}, 0}}) {
    for (const Kernel kernel : {Kernel::kLinear, Kernel::kCentredLinear}) {
      const OptimalRisk best = optimal_risk(problem, kernel);
      const MomentEvaluator evaluator(problem, kernel);
      const AttentionMoments there = evaluator.at({best.scale, 0, 0});
      CHECK(close(there.best_risk(), best.risk, 1e-12, 1e-13));
      CHECK(close(there.best_output(), best.output, 1e-12, 0));
      for (const double factor : {0.9, 1.1})
        CHECK(evaluator.at({best.scale * factor, 0, 0}).best_risk() > best.risk);
    }
  }
}

TEST_CASE("linear attention with random length depends on the mean length only") {
  CHECK(
      close(optimal_risk({Model::kSpiked, 5, {1, 3}, 0}, Kernel::kLinear).risk, 2.0 / 9, 1e-12, 0));
  CHECK(close(optimal_risk({Model::kMax, kInfinity, {1, 3}, 0}, Kernel::kLinear).risk, 0.38948, 0,
              6e-6));
}

TEST_CASE("centred linear attention has its own law (L-1)/(L+nu)") {
  CHECK(close(optimal_risk(spiked(3, 4), Kernel::kCentredLinear).risk, 2.0 / 7, 1e-12, 0));
  CHECK(close(optimal_risk(spiked(5, 9), Kernel::kCentredLinear).risk, 4.0 / 14, 1e-12, 0));
}

TEST_CASE("element-wise attention on the largest score cannot go below (L-1)/(2L-1)") {
  CHECK(close(optimal_risk(argmax(2), Kernel::kErf).risk, 1.0 / 3, 0, 1e-6));
  CHECK(close(optimal_risk(argmax(2), Kernel::kErf).scale, std::sqrt(0.5), 0, 2e-2));
  for (const Index length : {2, 3, 5, 30}) {
    const double risk = optimal_risk(argmax(length), Kernel::kErf).risk;
    CHECK(risk >= best_elementwise_risk(length) - 1e-9);
    CHECK(risk < best_elementwise_risk(length) + 5e-4);
  }
}

TEST_CASE("softmax on the largest score falls like a constant over its scale") {
  const struct {
    Index length;
    double at_30, at_300;
  } rows[] = {{2, .0071, .0007}, {3, .0108, .0011}, {5, .0150, .0015}, {30, .0264, .0026}};
  for (const auto& row : rows) {
    CHECK(close(optimal_risk(argmax(row.length), Kernel::kSoftmax, 30).risk, row.at_30, 0, 1.5e-4));
    const MomentEvaluator evaluator(argmax(row.length), Kernel::kSoftmax);
    if (row.length < 30) CHECK(close(evaluator.at({300, 0, 0}).best_risk(), row.at_300, 0, 6e-5));
    const OptimalRisk best = optimal_risk(argmax(row.length), Kernel::kSoftmax);
    CHECK(best.risk == 0);
    CHECK(best.scale == kInfinity);
  }
}

TEST_CASE("max with finite nu has the reference risks of Bayes and linear") {
  const struct {
    Index length;
    double snr, bayes, error, linear;
  } rows[] = {{2, 1, .36339, 3 * .00023, .4346},
              {2, 4, .13466, 3 * .00031, .3565},
              {3, 2, .35432, 3 * .00035, .4989}};
  for (const auto& row : rows) {
    const Problem problem{Model::kMax, row.snr, {row.length, row.length}, 0};
    CHECK(close(bayes_risk(problem).risk, row.bayes, 0, row.error));
    // The linear reference values are Monte Carlo too.
    CHECK(close(optimal_risk(problem, Kernel::kLinear).risk, row.linear, 0, 1.5e-3));
    const OptimalRisk softmax = optimal_risk(problem, Kernel::kSoftmax);
    CHECK(close(softmax.risk, bayes_risk(problem).risk, 1e-6, 0));
    const MomentEvaluator evaluator(problem, Kernel::kSoftmax);
    for (const double factor : {0.5, 0.9, 1.1, 2.0})
      CHECK(evaluator.at({factor * row.snr, 0, 0}).best_risk() > softmax.risk);
  }
}

TEST_CASE("lengths from 1 to 3 have the reference risks of erf, softplus and Bayes") {
  const Problem largest{Model::kMax, kInfinity, {1, 3}, 0};
  CHECK(close(optimal_risk(largest, Kernel::kErf).risk, .3837, 0, 2e-4));
  CHECK(close(optimal_risk(largest, Kernel::kSoftplus).risk, .0543, 0, 1.5e-3));
  const Problem shifted{Model::kSpiked, 5, {1, 3}, 0};
  CHECK(close(bayes_risk(shifted).risk, .0766, 0, 9e-4));
  CHECK(close(optimal_risk(shifted, Kernel::kSoftmax).risk, bayes_risk(shifted).risk, 1e-6, 0));
  CHECK(close(optimal_risk(shifted, Kernel::kErf).risk, .1888, 0, 1e-3));
  CHECK(close(optimal_risk(shifted, Kernel::kSoftplus).risk, .1028, 0, 1.5e-3));
}

TEST_CASE("a prompt of one token has no risk and no noise beats the trivial predictor at nu = 0") {
  CHECK(bayes_risk(spiked(1, 3)).risk == 0);
  CHECK(optimal_risk(spiked(1, 3), Kernel::kLinear).risk == 0);
  CHECK(close(bayes_risk(spiked(4, 0)).risk, 0.75, 1e-12, 0));
  CHECK(close(optimal_risk(spiked(4, 0), Kernel::kLinear).risk, 0.75, 1e-12, 0));
}

TEST_CASE("erf with a bias far below 0 keeps its digits") {
  // E f(x) over x ~ N(0, 1), with 1 + erf(x) = erfc(-x).
  const auto mean = [](const auto& f) {
    double sum = 0;
    // Far enough for weights that move the peak of their squares by their bias.
    for (int i = -12000; i <= 12000; ++i) {
      const double x = i / 400.0;
      sum += std::exp(-x * x / 2) * f(x);
    }
    return sum / 400 / std::sqrt(2 * 3.14159265358979323846);
  };
  const auto risk = [&](Index length, double snr, double scale, double bias) {
    const auto weight = [&](double shift) {
      return [=](double x) { return std::erfc(-(bias + scale * (shift + x))); };
    };
    const auto square = [&](double shift) {
      return mean([&](double x) { return weight(shift)(x) * weight(shift)(x); });
    };
    const double needle = mean(weight(std::sqrt(snr)));
    const double all = square(std::sqrt(snr)) + static_cast<double>(length - 1) * square(0);
    return 1 - needle * needle / all;
  };
  for (const auto& [length, snr, scale, bias] : {std::tuple{Index{10}, 1000.0, 0.003, -4.0},
                                                 {3, 0.0, 0.05, -4.0},
                                                 {3, 4.0, 0.05, -4.0},
                                                 {3, 4.0, 0.5, -6.0},
                                                 {2, 4.0, 1.0, -22.0},
                                                 {2, 4.0, 1.0, -24.0},
                                                 {2, 4.0, 1.0, -26.0},
                                                 {4, 9.0, 3.0, -30.0},
                                                 {5, 9.0, 1.0, -1.0}}) {
    Problem problem;
    problem.lengths = {length, length};
    problem.snr = snr;
    const double found = MomentEvaluator(problem, Kernel::kErf).at({scale, 0, bias}).best_risk();
    INFO("nu = ", snr, ", scale = ", scale, ", bias = ", bias);
    CHECK(std::abs(found - risk(length, snr, scale, bias)) < 1e-10);
  }
}

TEST_CASE("weak and strong needles have their best scales far from 1") {
  Problem problem;
  problem.lengths = {3, 3};
  for (const double nu : {0.0, 1e-6, 1e-4, 1e-2}) {
    problem.snr = nu;
    const double bayes = bayes_risk(problem).risk;
    for (const Kernel kernel : {Kernel::kSoftmax, Kernel::kSoftplus}) {
      const double best = optimal_risk(problem, kernel).risk;
      INFO("nu = ", nu, " ", kernel_name(kernel));
      CHECK(best > bayes - 1e-12);
      CHECK(best < bayes + (kernel == Kernel::kSoftmax ? 1e-9 : 1e-5));
    }
  }
  problem.lengths = {10, 10};
  problem.snr = 1000;
  const MomentEvaluator evaluator(problem, Kernel::kErfToken);
  CHECK(optimal_risk(problem, Kernel::kErfToken).risk <= evaluator.at({0.001, 0, 0}).best_risk());
}

TEST_CASE("no parameters of anybody beat the best ones") {
  const struct {
    Kernel kernel;
    Index length;
    double snr, scale, bias;
  } rows[] = {{Kernel::kErf, 1000, 100, 4.09, -23.26},
              {Kernel::kErf, 10, 100, 4.09, -21.35},
              {Kernel::kErf, 2, 1000, .4, -6.4},
              {Kernel::kErf, 3, 400, 3, -30},
              {Kernel::kSoftplus, 1000, 100, 200, 0},
              {Kernel::kSoftplus, 100, 4, 300, 0},
              {Kernel::kErfToken, 10, 4, 1e-4, 1e-4 / 1.8},
              {Kernel::kErfToken, 3, 1, 1e-3, 1.5e-3},
              {Kernel::kSoftmax, 2, 400, 1.7, 0},
              {Kernel::kSoftmax, 2, 1000, .9, 0}};
  for (const auto& row : rows) {
    const Problem problem = spiked(row.length, row.snr);
    const double there =
        MomentEvaluator(problem, row.kernel).at({row.scale, 0, row.bias}).best_risk();
    const OptimalRisk best = optimal_risk(problem, row.kernel);
    INFO(kernel_name(row.kernel), " L = ", row.length, ", nu = ", row.snr, ": ", best.risk,
         " at scale ", best.scale, ", bias ", best.bias);
    CHECK(best.risk >= 0);
    CHECK(there >= 0);
    CHECK(best.risk <= there * (1 + 1e-6) + 1e-15);  // no quadrature tells less
  }
}

TEST_CASE("erf tells a strong needle with a risk far below rounding") {
  // At t = bias + scale sqrt(nu) for the needle and bias for the other token.
  const double nu = 1000, scale = .4, bias = -6.4;
  const AttentionMoments moments =
      MomentEvaluator(spiked(2, nu), Kernel::kErf).at({scale, 0, bias});
  // gap = Var erfc of the needle's distance + E erfc^2 of the other, by plain sums.
  const auto mean = [&](const auto& f) {
    double sum = 0;
    for (int i = -8000; i <= 8000; ++i) {
      const double x = i / 400.0;
      sum += std::exp(-x * x / 2) * f(x);
    }
    return sum / 400 / std::sqrt(2 * 3.14159265358979323846);
  };
  const double needle = bias + scale * std::sqrt(nu);
  const auto distance = [&](double x) { return std::erfc(needle + scale * x); };
  const double first = mean(distance);
  const double gap = mean([&](double x) { return distance(x) * distance(x); }) - first * first +
                     mean([&](double x) {
                       const double weight = std::erfc(-(bias + scale * x));
                       return weight * weight;
                     });
  CHECK(gap < 1e-20);
  CHECK(close(moments.gap, gap, 1e-9, 0));
}

TEST_CASE("bad problems are refused by name") {
  const auto parameter = [](const Problem& problem) {
    try {
      bayes_risk(problem);
    } catch (const Error& error) {
      return error.parameter();
    }
    return std::string("none");
  };
  CHECK(parameter(spiked(0, 1)) == "length");
  CHECK(parameter({Model::kSpiked, 1, {3, 2}, 0}) == "length");
  CHECK(parameter(spiked(2, -1)) == "snr");
  CHECK(parameter(spiked(2, kInfinity)) == "snr");
  CHECK(parameter(spiked(2, std::nan(""))) == "snr");
  CHECK(parameter({Model::kMax, 1e9, {2, 2}, 0}) == "snr");
  CHECK(parameter({Model::kSpiked, 1, {2, 2}, -1}) == "noise");
}

#include "regression/heads.h"

#include <doctest/doctest.h>

#include <cmath>

#include "reference.h"

using namespace attnlab;
using attnlab::tests::close;
using attnlab::tests::largest_difference;
using attnlab::tests::to_matrix;
using attnlab::tests::to_vector;

namespace {

Vector pair(double x, double y) {
  return (Vector(2) << x, y).finished();
}

// Monte Carlo risk of softmax heads, the target's noise included.
std::pair<double, double> simulated(const regression::HeadsSetting& setting, const Vector& omega,
                                    const Vector& mu, Index count, std::uint64_t stream) {
  const auto d = static_cast<Index>(setting.dimension);
  regression::PromptLaw law;
  law.covariance = Matrix::Identity(d, d);
  law.task_variance = 1 / setting.dimension;
  law.label_variance = setting.label_variance;
  law.noisy_targets = true;
  std::vector<regression::Head> heads;
  for (Index h = 0; h < omega.size(); ++h)
    heads.push_back({omega(h) * Matrix::Identity(d, d), mu(h)});
  RandomStream random(7, stream);
  const auto prompts =
      regression::draw_prompts(law, count, static_cast<Index>(setting.length), random);
  const Vector square =
      (regression::finite_predictions(prompts, heads) - prompts.targets).array().square();
  const double n = static_cast<double>(count);
  return {square.mean(), std::sqrt((square.array() - square.mean()).square().sum() / n / n)};
}

}  // namespace

TEST_CASE("every fixed case of the heads holds to 1e-12") {
  const auto& cases = tests::reference("large-prompt-twohead");
  const double tolerance = cases["tol"];
  for (const auto& entry : cases["approx_loss_cases"]) {
    const regression::HeadsSetting setting{entry["d"], entry["L"], entry["sigma2"]};
    const auto found =
        regression::approximate_heads(setting, to_vector(entry["omega"]), to_vector(entry["mu"]));
    CHECK(close(found.loss, entry["expected"]["Ltilde"], tolerance, tolerance));
    CHECK(largest_difference(found.mu, to_vector(entry["expected"]["grad_mu"])) < tolerance);
    CHECK(largest_difference(found.omega, to_vector(entry["expected"]["grad_omega"])) < tolerance);
  }
  for (const auto& entry : cases["closed_forms"]) {
    const regression::HeadsSetting setting{entry["d"], entry["L"], entry["sigma2"]};
    const auto& expected = entry["expected"];
    const auto check = [&](double found, const char* name) {
      CAPTURE(name);
      CHECK(close(found, expected[name], tolerance, tolerance));
    };
    check(regression::approximate_step(setting), "eta_approx");
    check(regression::approximate_pair_risk(setting), "risk_approx_multi");
    check(regression::approximate_single_risk(setting), "risk_approx_single");
    check(regression::approximate_single_omega(setting), "omega_single");
    check(regression::approximate_single_mu(setting), "mu_single");
    check(regression::vanilla_step(setting), "eta_vanilla");
    check(regression::vanilla_risk(setting, regression::vanilla_step(setting)), "risk_vanilla");
    check(regression::debiased_step(setting), "eta_debiased");
    check(regression::debiased_risk(setting, regression::debiased_step(setting)), "risk_debiased");
    check(regression::pair_mu(setting, 0.13), "mu_gamma_013");
  }
  for (const auto& entry : cases["bayes"]) {
    const double ratio = entry["xi"];
    const double noise = entry["sigma2"];
    CHECK(close(regression::bayes_risk_limit(ratio, noise), entry["bayes"], tolerance, tolerance));
    CHECK(close(regression::gradient_descent_risk_limit(ratio, noise), entry["gd"], tolerance,
                tolerance));
    CHECK(close(regression::bayes_ratio_bound(ratio, noise), entry["bound"], tolerance, tolerance));
  }
  const auto& predictor = cases["predictor"];
  const Matrix tokens = to_matrix(predictor["X"]);
  const double gamma = predictor["gamma"];
  const double mu = predictor["mu"];
  const regression::Prompts prompts{tokens.rows(),
                                    tokens,
                                    to_vector(predictor["y"]),
                                    to_vector(predictor["xq"]).transpose(),
                                    Vector::Zero(1),
                                    Matrix::Zero(1, tokens.cols())};
  const Matrix identity = Matrix::Identity(tokens.cols(), tokens.cols());
  const double eta = 2 * gamma * mu;
  CHECK(close(regression::finite_predictions(prompts,
                                             {{gamma * identity, mu}, {-gamma * identity, -mu}})(0),
              predictor["expected"]["two_head"], tolerance, tolerance));
  CHECK(close(regression::debiased_predictions(prompts, eta)(0),
              predictor["expected"]["debiased_gd"], tolerance, tolerance));
  CHECK(close(regression::vanilla_predictions(prompts, eta)(0), predictor["expected"]["vanilla_gd"],
              tolerance, tolerance));
}

TEST_CASE("the gradient of the approximate loss is that of finite differences") {
  RandomStream random(1, 22);
  const regression::HeadsSetting setting{4, 30, 0.2};
  for (int point = 0; point < 10; ++point) {
    const Vector omega = 0.4 * random.gaussian_vector(3);
    const Vector mu = random.gaussian_vector(3);
    const auto found = regression::approximate_heads(setting, omega, mu);
    const double h = 1e-5;
    for (Index i = 0; i < 3; ++i) {
      Vector step = Vector::Zero(3);
      step(i) = h;
      const auto slope = [&](const Vector& do_, const Vector& dm) {
        return (regression::approximate_heads(setting, omega + do_, mu + dm).loss -
                regression::approximate_heads(setting, omega - do_, mu - dm).loss) /
               (2 * h);
      };
      CHECK(close(found.omega(i), slope(step, Vector::Zero(3)), 1e-6, 1e-8));
      CHECK(close(found.mu(i), slope(Vector::Zero(3), step), 1e-6, 1e-8));
    }
  }
}

TEST_CASE("the best output weights are a stationary point") {
  const regression::HeadsSetting setting{5, 40, 0.1};
  const Vector omega = pair(0.2, -0.15);
  const auto found = regression::approximate_heads(setting, omega,
                                                   regression::best_output_weights(setting, omega));
  CHECK(found.mu.cwiseAbs().maxCoeff() < 1e-13);
}

TEST_CASE("prompts of 40 examples show the risk .2434 for two heads and .4077 for one") {
  const regression::HeadsSetting setting{5, 40, 0.1};
  const auto [two, two_error] =
      simulated(setting, pair(0.13, -0.13), pair(3.3807, -3.3807), 12000, 1);
  CHECK(std::fabs(two - .2434) < 3 * std::hypot(two_error, .0005));
  const double root = 1 / std::sqrt(5.0);
  const auto [one, one_error] =
      simulated(setting, Vector::Constant(1, root), Vector::Constant(1, 1.6277), 12000, 2);
  CHECK(std::fabs(one - .4077) < 3 * std::hypot(one_error, .0010));
  // The exact debiased risk is within 6e-4 of two heads at gamma = .13.
  CHECK(std::fabs(regression::debiased_risk(setting, 0.8791208791) - .242857142857) < 1e-9);
}

TEST_CASE("one softmax head pays more than e times the excess of two") {
  const regression::HeadsSetting setting{20, 2000, 0};
  const auto excess = [&](double omega, double mu) {
    return regression::first_order_heads_risk(setting, Vector::Constant(1, omega),
                                              Vector::Constant(1, mu));
  };
  double single = 1e9;
  for (double omega = 0.15; omega < 0.3; omega += 0.002)
    for (double p = 0.9; p < 1; p += 0.002)
      single = std::fmin(single, excess(omega, p / omega));
  const double debiased = regression::debiased_risk(setting, regression::debiased_step(setting));
  CHECK(close(single / debiased, 2.797, 0, 0.03));
  const auto [one, error] =
      simulated(setting, Vector::Constant(1, 0.21), Vector::Constant(1, 0.97 / 0.21), 100, 3);
  CHECK(std::fabs(one - excess(0.21, 0.97 / 0.21)) < 3.5 * error + 0.002);
}

TEST_CASE("the first-order risk of a pair is its closed form and has no value beyond 1/2") {
  const regression::HeadsSetting setting{5, 100, 0.1};
  const double u = 0.04;
  const double mu = 2;
  const double p = 2 * mu * 0.2;
  const double M1 = std::pow(1 - 2 * u, -3.5);
  const double Es = (std::pow(1 - 2 * u, -2.5) - std::pow(1 + 2 * u, -2.5)) / 2;
  const double Ec = (std::pow(1 - 2 * u, -3.5) + std::pow(1 + 2 * u, -3.5)) / 2;
  const double expected = 0.1 + (1 - p) * (1 - p) + 2 * p * (1 - p) * M1 / 100 +
                          4 * mu * mu / 100 * (1.1 * Es + u * Ec);
  CHECK(close(regression::first_order_heads_risk(setting, pair(0.2, -0.2), pair(mu, -mu)), expected,
              1e-13, 0));
  CHECK(std::isinf(
      regression::first_order_heads_risk(setting, Vector::Constant(1, 0.8), Vector::Ones(1))));
}

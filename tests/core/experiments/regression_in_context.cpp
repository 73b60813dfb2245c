#include <cmath>

#include "experiments/small_runs.h"
#include "reference.h"
#include "regression/temperature.h"

using namespace attnlab;
using attnlab::tests::close;

TEST_CASE(
    "the least test losses over omega and b have the reference values at 10 to 400 examples") {
  struct Row {
    double softmax, softmax_error, bayes, bayes_error;
  };
  const Row isotropic[] = {{.7170, .0035, .19562, .0006},
                           {.3991, .0018, .11435, .0001},
                           {.2574, .0014, .10528, .0001},
                           {.1470, .0008, .10127, .0001}};
  const tests::SmallRun run(
      "regression.in-context",
      {{"lengths", std::vector<double>{10, 40, 100, 400}}, {"examples", 120000.0}}, 8);
  for (std::size_t i = 0; i < 4; ++i) {
    CAPTURE(i);
    const double error = run.column("points", "softmaxError")[i];
    CHECK(std::fabs(run.column("points", "softmax")[i] - isotropic[i].softmax) <
          3 * std::hypot(error, isotropic[i].softmax_error));
    CHECK(std::fabs(run.column("points", "bayes")[i] - isotropic[i].bayes) <
          3 * std::hypot(run.column("points", "bayesError")[i], isotropic[i].bayes_error));
  }
  CHECK(close(run.column("points", "linear")[1], .23978, 0, 6e-6));
}

TEST_CASE("the scan's best weight is the least-squares one") {
  RandomStream random(1, 31);
  regression::PromptLaw law;
  law.covariance = Matrix::Identity(2, 2);
  const auto prompts = regression::draw_prompts(law, 500, 8, random);
  const std::vector<double> grid = {0.5};
  regression::TemperatureScan scan(1);
  scan.add(prompts, Matrix::Identity(2, 2), grid);
  const auto best = scan.best(grid);
  const Vector f =
      regression::finite_predictions(prompts, regression::Head{0.5 * Matrix::Identity(2, 2), 1});
  CHECK(close(best.weight, f.dot(prompts.targets) / f.squaredNorm(), 1e-12, 0));
  const Vector gaps = best.weight * f - prompts.targets;
  CHECK(close(best.risk, gaps.squaredNorm() / 500, 1e-12, 0));
  const Vector squares = gaps.array().square();
  CHECK(close(best.error, std::sqrt((squares.array() - squares.mean()).square().sum() / 499 / 500),
              1e-9, 0));
}

TEST_CASE("the best single head of the first order is stationary") {
  const regression::HeadsSetting setting{5, 1000, 0.1};
  const auto best = regression::best_single_head(setting);
  CHECK(close(best.omega, .352, 0, 2e-3));
  for (const double factor : {0.97, 1.03})
    CHECK(regression::first_order_heads_risk(setting, Vector::Constant(1, best.omega),
                                             Vector::Constant(1, factor * best.mu)) > best.risk);
}

TEST_CASE("every preset of regression.in-context runs at a small size") {
  tests::check_presets("regression.in-context",
                       {{"lengths", std::vector<double>{8, 16}}, {"examples", 2000.0}});
}

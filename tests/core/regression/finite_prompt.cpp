#include "regression/finite_prompt.h"

#include <doctest/doctest.h>

#include <cmath>

#include "core/error.h"
#include "reference.h"
#include "regression/linear_attention.h"

using namespace attnlab;
using attnlab::tests::close;
using attnlab::tests::largest_difference;
using attnlab::tests::to_matrix;
using attnlab::tests::to_vector;

namespace {

regression::Prompts case_prompts(const nlohmann::json& entry) {
  const Index L = entry["L"];
  const Index B = entry["B"];
  const Index d = entry["d"];
  const Matrix w = to_matrix(entry["w"]);
  regression::Prompts prompts{L, Matrix(B * L, d), Vector(B * L), to_matrix(entry["xq"]), Vector(B),
                              w};
  for (Index p = 0; p < B; ++p) {
    prompts.tokens.middleRows(p * L, L) = to_matrix(entry["X"][static_cast<std::size_t>(p)]);
    prompts.targets(p) = w.row(p).dot(prompts.queries.row(p));
  }
  for (Index i = 0; i < B * L; ++i)
    prompts.labels(i) = prompts.tokens.row(i).dot(w.row(i / L));
  return prompts;
}

// Mean of (prediction - target)^2 and its standard error.
std::pair<double, double> risk(const regression::Prompts& prompts, const Vector& predictions) {
  const Vector square = (predictions - prompts.targets).array().square();
  const double n = static_cast<double>(square.size());
  const double mean = square.mean();
  return {mean, std::sqrt((square.array() - mean).square().sum() / (n - 1) / n)};
}

}  // namespace

TEST_CASE("every fixed case of the finite prompt holds to 1e-12") {
  const auto& cases = tests::reference("large-prompt-icl_finite");
  const double tolerance = cases["tol"];
  for (const auto& entry : cases["cases"]) {
    const auto prompts = case_prompts(entry);
    const regression::Head head{to_matrix(entry["A"]), entry["b"]};
    const auto found = regression::finite_prompt(prompts, head);
    const auto& expected = entry["expected"];
    CHECK(close(found.loss, expected["loss"], tolerance, tolerance));
    CHECK(close(found.b, expected["gradb"], tolerance, tolerance));
    CHECK(largest_difference(found.A, to_matrix(expected["gradA"])) < tolerance);
    CHECK(largest_difference(regression::finite_predictions(prompts, head),
                             to_vector(expected["pred"])) < tolerance);
  }
}

TEST_CASE("the gradient of the finite-prompt loss is that of finite differences") {
  RandomStream random(1, 21);
  for (int point = 0; point < 10; ++point) {
    regression::PromptLaw law;
    law.covariance = regression::kcm_covariance(3, 0.5);
    law.label_variance = 0.1;
    const auto prompts = regression::draw_prompts(law, 6, 9, random);
    const regression::Head head{random.gaussian_matrix(3, 3), random.gaussian()};
    const auto found = regression::finite_prompt(prompts, head);
    const double h = 1e-5;
    const auto loss = [&](const regression::Head& at) {
      return regression::finite_prompt(prompts, at).loss;
    };
    for (Index i = 0; i < 3; ++i)
      for (Index j = 0; j < 3; ++j) {
        regression::Head up = head;
        regression::Head down = head;
        up.A(i, j) += h;
        down.A(i, j) -= h;
        CHECK(close(found.A(i, j), (loss(up) - loss(down)) / (2 * h), 1e-6, 1e-8));
      }
    CHECK(close(found.b, (loss({head.A, head.b + h}) - loss({head.A, head.b - h})) / (2 * h), 1e-6,
                1e-8));
  }
}

TEST_CASE("the estimated risk and its gradient have the means of the plain ones, and less noise") {
  regression::PromptLaw law;
  law.covariance = regression::kcm_covariance(3, 0.5);
  law.task_variance = 0.7;
  law.label_variance = 0.2;
  law.noisy_targets = true;
  Matrix A = 0.3 * Matrix::Identity(3, 3);
  A(0, 2) = 0.1;
  const regression::Head head{A, 1.2};
  const int batches = 60;
  Vector sums[2], squares[2];
  for (int k = 0; k < 2; ++k)
    sums[k] = squares[k] = Vector::Zero(11);
  for (int r = 0; r < batches; ++r) {
    RandomStream random(5, static_cast<std::uint64_t>(r));
    const auto prompts = regression::draw_prompts(law, 50, 400, random);
    const regression::HeadGradient found[2] = {regression::finite_prompt(prompts, head),
                                               regression::finite_prompt_risk(law, prompts, head)};
    for (int k = 0; k < 2; ++k) {
      Vector all(11);
      all << found[k].loss, found[k].b, found[k].A.reshaped();
      sums[k] += all / batches;
      squares[k] += all.cwiseAbs2() / batches;
    }
  }
  Vector errors[2];
  for (int k = 0; k < 2; ++k)
    errors[k] = ((squares[k] - sums[k].cwiseAbs2()) / (batches - 1)).cwiseMax(0).cwiseSqrt();
  for (Index i = 0; i < 11; ++i) {
    CAPTURE(i);
    CHECK(std::fabs(sums[0](i) - sums[1](i)) < 3.5 * errors[0](i));
    CHECK(errors[1](i) < 0.5 * errors[0](i));
  }
}

TEST_CASE("long prompts predict as the infinite one") {
  regression::PromptLaw law;
  law.covariance = regression::kcm_covariance(3, 0.5);
  RandomStream random(2, 21);
  const auto prompts = regression::draw_prompts(law, 100, 4000, random);
  const regression::Head head{0.3 * Matrix::Identity(3, 3), 1.5};
  const auto [finite, error] = risk(prompts, regression::finite_predictions(prompts, head));
  const double infinite = 2 * regression::infinite_prompt(law.covariance, head).loss;
  CHECK(std::fabs(finite - infinite) < 3 * error + 0.01);
}

TEST_CASE("every fixed case of linear attention holds to 1e-12") {
  const auto& cases = tests::reference("large-prompt-linear_attention_finite");
  const double tolerance = cases["tol"];
  for (const auto& entry : cases["cases"]) {
    const double d = entry["d"];
    const regression::LinearSetting setting{to_matrix(entry["Sigma"]), entry["L"], 1 / d,
                                            entry["sigma2"]};
    const Matrix best = regression::linear_optimum(setting);
    const auto& expected = entry["expected"];
    CHECK(largest_difference(best, to_matrix(expected["P_opt"])) < tolerance);
    CHECK(close(regression::linear_risk(setting, best), expected["R_opt"], tolerance, tolerance));
    CHECK(close(regression::linear_risk(setting, 0.8 * Matrix::Identity(best.rows(), best.rows())),
                expected["R_at_08I"], tolerance, tolerance));
  }
}

TEST_CASE("linear attention's exact risk is what prompts show, for a P that is not symmetric") {
  regression::PromptLaw law;
  law.covariance = regression::kcm_covariance(3, 0.5);
  law.task_variance = 0.4;
  law.label_variance = 0.3;
  law.noisy_targets = true;
  RandomStream random(3, 21);
  const Matrix P = 0.5 * Matrix::Identity(3, 3) + 0.3 * random.gaussian_matrix(3, 3);
  const auto prompts = regression::draw_prompts(law, 40000, 6, random);
  const auto [found, error] = risk(prompts, regression::linear_predictions(prompts, P));
  CHECK(std::fabs(found - regression::linear_risk({law.covariance, 6, 0.4, 0.3}, P)) < 3.5 * error);
}

TEST_CASE("the linear optimum has its reference risks at 10 to 1000 examples, and ridge at 40") {
  // d = 5, w ~ N(0, I / 5), noise .1.
  const struct {
    double length, isotropic, kcm;
  } rows[] = {{10, .49394, .46421},
              {40, .23978, .23393},
              {100, .16103, .15975},
              {400, .11599, .11590},
              {1000, .10646, .10644}};
  for (const auto& row : rows)
    for (const double rho : {0.0, 0.5}) {
      const regression::LinearSetting setting{regression::kcm_covariance(5, rho), row.length, 0.2,
                                              0.1};
      CHECK(close(regression::linear_risk(setting, regression::linear_optimum(setting)),
                  rho == 0 ? row.isotropic : row.kcm, 0, 6e-6));
    }
  regression::PromptLaw law;
  law.covariance = Matrix::Identity(5, 5);
  law.task_variance = 0.2;
  law.label_variance = 0.1;
  law.noisy_targets = true;
  RandomStream random(4, 21);
  const auto prompts = regression::draw_prompts(law, 12000, 40, random);
  const auto [found, error] = risk(prompts, regression::ridge_predictions(prompts, 0.5));
  CHECK(std::fabs(found - .11446) < 3 * error);
  CHECK(error < 0.003);
}

TEST_CASE("ridge needs examples that determine the task") {
  regression::Prompts prompts{1,
                              Matrix::Ones(1, 2),
                              Vector::Ones(1),
                              Matrix::Ones(1, 2),
                              Vector::Ones(1),
                              Matrix::Ones(1, 2)};
  CHECK_THROWS_AS(regression::ridge_predictions(prompts, 0), Error);
  // (11^T + I) w = 1: w = 1/3 each, prediction 2/3.
  CHECK(close(regression::ridge_predictions(prompts, 1)(0), 2.0 / 3, 1e-14, 0));
}

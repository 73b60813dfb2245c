#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "core/error.h"
#include "experiments/parameters.h"
#include "experiments/registry.h"
#include "mhla/cases.h"
#include "reference.h"

using namespace attnlab;
using namespace attnlab::experiments;

namespace {

RunResult run_values(const Values& values) {
  return run_to_end(find_experiment("mhla.fit"), values, 4);
}
const std::vector<double>& column(const RunResult& result, const char* table, const char* name) {
  return number_column(find_experiment("mhla.fit"), result.tables, table, name);
}
std::string refusal(const Values& values) {
  try {
    run_values(values);
  } catch (const Error& error) {
    return std::string(error_code_name(error.code())) + " " + error.parameter();
  }
  return "";
}

}  // namespace

TEST_CASE("the reader's own data: the whole-number case, given as numbered prompts") {
  const auto& data = tests::reference("mhla-alg1_realizable_d2");
  const auto prompts = tests::case_prompts(data["Z"]);
  Matrix tokens(3 * static_cast<Index>(prompts.size()), 3);
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    const auto first = static_cast<Index>(3 * i);
    tokens.block(first, 0, 3, 1).setConstant(static_cast<double>(i));
    tokens.block(first, 1, 3, 2) = prompts[i];
  }
  const RunResult result = run_values({{"tokens", tokens},
                                       {"targets", tests::to_matrix(data["y"])},
                                       {"prompts", std::string("numbered")}});
  CHECK(column(result, "summary", "rank").at(0) == 6);
  CHECK(column(result, "summary", "heads").at(0) == 4);
  const Matrix expected = tests::to_matrix(data["p_exact"]);
  const auto& values = column(result, "coefficients", "value");
  for (Index a = 0; a < 2; ++a)
    for (Index f = 0; f < 6; ++f)
      CHECK(tests::close(values[static_cast<std::size_t>(a * 6 + f)], expected(a, f), 1e-11, 0));
  const auto& target = column(result, "predictions", "target");
  const auto& prediction = column(result, "predictions", "prediction");
  for (std::size_t i = 0; i < target.size(); ++i)
    CHECK(tests::close(prediction[i], target[i], 1e-11, 1e-10));
}

TEST_CASE("the presets: exact, noisy, and too few") {
  const auto& descriptor = find_experiment("mhla.fit").descriptor();
  const RunResult exact = run_values(preset_values(descriptor, "example"));
  CHECK(column(exact, "summary", "relativeError").at(0) < 1e-26);
  CHECK(column(exact, "summary", "minimumEigenvalue").at(0) > 1);
  const RunResult noisy = run_values(preset_values(descriptor, "noisy"));
  // sigma^2 times outputs times (N - psi) / N = 0.25 * 3 * 182 / 200; its spread is 6 %.
  CHECK(tests::close(column(noisy, "summary", "trainingError").at(0), 0.6825, 0.25, 0));
  const RunResult few = run_values(preset_values(descriptor, "too-few"));
  CHECK(column(few, "summary", "rank").at(0) == 12);
  CHECK(column(few, "summary", "minimumEigenvalue").at(0) == 0);
  CHECK(column(few, "summary", "relativeError").at(0) < 1e-24);
}

TEST_CASE("data that do not fit are refused by name") {
  const Matrix tokens = Matrix::Ones(10, 2);
  CHECK(refusal({{"tokens", tokens}}) == "missing targets");
  CHECK(refusal({{"targets", Matrix(Matrix::Ones(2, 1))}}) == "missing tokens");
  CHECK(refusal({{"tokens", tokens}, {"targets", Matrix(Matrix::Ones(3, 1))}}) == "shape targets");
  CHECK(refusal({{"tokens", tokens}, {"targets", Matrix(Matrix::Ones(3, 1))}, {"length", 3.0}}) ==
        "shape tokens");
  CHECK(refusal({{"tokens", Matrix(Matrix::Ones(4, 1))},
                 {"targets", Matrix(Matrix::Ones(3, 1))},
                 {"prompts", std::string("numbered")}}) == "shape tokens");
  // One token, and constant coordinates: a verdict, no error.
  const RunResult constant =
      run_values({{"tokens", tokens}, {"targets", Matrix(Matrix::Ones(2, 1))}});
  CHECK(column(constant, "summary", "rank").at(0) == 1);
}

TEST_CASE("an error has no share of the variance of targets that do not vary") {
  const RunResult one = run_values({{"exampleSamples", 1.0}, {"exampleNoise", 1.0}});
  CHECK(column(one, "summary", "variance").at(0) == 0);
  CHECK(std::isnan(column(one, "summary", "relativeError").at(0)));
}

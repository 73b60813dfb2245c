#include "attention/taylor.h"

#include <doctest/doctest.h>

#include <cmath>

#include "core/error.h"
#include "core/random.h"
#include "core/special.h"
#include "reference.h"

using namespace attnlab;
using attnlab::tests::close;
using attnlab::tests::largest_difference;
using attnlab::tests::to_matrix;
using attnlab::tests::to_vector;

TEST_CASE("every fixed case of the truncated exponential holds to 1e-12") {
  const auto& cases = tests::reference("large-prompt-taylor");
  const double tolerance = cases["tol"];
  const Matrix keys = to_matrix(cases["K"]);
  const Matrix values = to_matrix(cases["V"]);
  const Matrix query = to_vector(cases["q"]).transpose();
  const auto check = [&](const Matrix& actual, const nlohmann::json& expected) {
    const Vector vector = to_vector(expected);
    for (Index i = 0; i < vector.size(); ++i)
      CHECK(close(actual(0, i), vector(i), tolerance, tolerance));
  };
  for (const auto& entry : cases["truncations"]) {
    const Index order = entry["N"];
    CAPTURE(order);
    const auto result = attention::taylor_attention(query, keys, values, order, 1);
    check(result.output, entry["out"]);
    CHECK(close(result.denominators(0), entry["den"], tolerance, tolerance));
    check(attention::taylor_attention(query, keys, values, order, 1, attention::TaylorNorm::kNone)
              .output,
          entry["unnormalised"]);
    check(attention::taylor_attention(query, keys, values, order, 1,
                                      attention::TaylorNorm::kUnitLength)
              .output,
          entry["l2normed"]);
  }
  for (const auto& entry : cases["gaussian_limit_shrink"])
    CHECK(close(attention::taylor_gaussian_gain(entry["r"], entry["N"]), entry["factor"], tolerance,
                tolerance));
  for (const auto& entry : cases["real_zero"])
    CHECK(close(attention::taylor_zero(entry[0]), entry[1], tolerance, tolerance));
}

TEST_CASE("the recurrent form gives what the parallel form gives") {
  RandomStream random(1, 3);
  const Matrix keys = random.gaussian_matrix(12, 3);
  const Matrix values = random.gaussian_matrix(12, 2);
  const Matrix queries = random.gaussian_matrix(4, 3);
  for (const Index order : {0, 1, 2, 5, 8}) {
    CAPTURE(order);
    attention::TaylorState state(3, 2, order, 0.7);
    for (Index j = 0; j < keys.rows(); ++j)
      state.add(keys.row(j).transpose(), values.row(j).transpose());
    const auto parallel = attention::taylor_attention(queries, keys, values, order, 0.7);
    for (Index i = 0; i < queries.rows(); ++i) {
      const auto answer = state.ask(queries.row(i).transpose());
      CHECK(close(answer.denominator, parallel.denominators(i), 1e-12, 1e-12));
      CHECK(largest_difference(answer.output, Vector(parallel.output.row(i).transpose())) < 1e-11);
    }
  }
}

TEST_CASE("features of order N have the inner product E_N") {
  RandomStream random(2, 3);
  const Vector x = random.gaussian_vector(4);
  const Vector y = random.gaussian_vector(4);
  for (Index order = 0; order <= 7; ++order) {
    const Vector left = attention::taylor_features(x, order);
    CHECK(static_cast<double>(left.size()) == attention::taylor_feature_count(4, order));
    double expected = 0;
    double term = 1;
    for (Index n = 0; n <= order; term *= x.dot(y) / static_cast<double>(++n))
      expected += term;
    CHECK(close(left.dot(attention::taylor_features(y, order)), expected, 1e-12, 1e-12));
  }
}

TEST_CASE("odd orders have negative weights below their zero, and the result counts them") {
  // One key, one query, score -3: E_1 = -2, E_3 = -2, E_2 = 2.5.
  const Matrix query = Matrix::Constant(1, 1, -3.0);
  const Matrix one = Matrix::Ones(1, 1);
  CHECK(attention::taylor_attention(query, one, one, 1, 1).not_positive == 1);
  CHECK(attention::taylor_attention(query, one, one, 3, 1).not_positive == 1);
  CHECK(attention::taylor_attention(query, one, one, 2, 1).not_positive == 0);
  const auto vanishing = attention::taylor_attention(Matrix::Constant(1, 1, -1.0), one, one, 1, 1);
  CHECK(vanishing.denominators(0) == 0);
  CHECK(vanishing.not_positive == 1);
  CHECK(std::isnan(vanishing.output(0, 0)));
}

TEST_CASE("the error of order N stays below its remainder bound") {
  RandomStream random(3, 3);
  const Matrix keys = random.gaussian_matrix(64, 4);
  const Vector query = random.gaussian_vector(4);
  const Vector scores = keys * query;
  const double reach = scores.cwiseAbs().maxCoeff();
  double factorial = 1;
  for (Index order = 0; order <= 30; ++order) {
    factorial *= static_cast<double>(order + 1);
    const double bound =
        std::pow(reach, static_cast<double>(order + 1)) * std::exp(reach) / factorial;
    for (Index j = 0; j < scores.size(); ++j)
      CHECK(std::fabs(std::exp(scores(j)) - attention::truncated_exponential(scores(j), order)) <=
            bound + 1e-12 * std::exp(reach));
  }
}

TEST_CASE("orders and sizes that cannot be had are refused by name") {
  const Matrix one = Matrix::Ones(1, 1);
  CHECK_THROWS_AS(attention::taylor_attention(one, one, one, 81, 1), Error);
  CHECK_THROWS_AS(attention::taylor_attention(one, one, one, -1, 1), Error);
  CHECK_THROWS_AS(attention::taylor_zero(2), Error);
  try {
    attention::TaylorState(64, 64, 20, 1);
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::kTooLarge);
    CHECK(error.parameter() == "order");
  }
}

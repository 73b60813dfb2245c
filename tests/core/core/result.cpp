// Results outside the range of a double are refused by the name of what is too large.
#include "core/result.h"

#include <doctest/doctest.h>

#include <limits>
#include <string>

#include "core/error.h"
#include "measure/measure.h"
#include "mhla/model.h"
#include "mhla/predict.h"
#include "regression/infinite_prompt.h"

using namespace attnlab;

namespace {

template <class Work>
void check_too_large(const Work& work, const std::string& parameter) {
  CAPTURE(parameter);
  try {
    work();
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::kOutOfRange);
    CHECK(error.parameter() == parameter);
    return;
  }
  FAIL("was not refused");
}

}  // namespace

TEST_CASE("NaN and the infinities are no results, the largest double is one") {
  using Limits = std::numeric_limits<double>;
  Matrix result = Matrix::Constant(2, 3, Limits::max());
  CHECK_NOTHROW(require_result(result, "x"));
  for (const double bad : {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity()}) {
    result(1, 2) = bad;
    check_too_large([&] { require_result(result, "x"); }, "x");
    check_too_large([&] { require_result(bad, "y"); }, "y");
  }
}

TEST_CASE("attention on a measure, heads and predictions refuse to overflow") {
  const Matrix one = Matrix::Ones(1, 1);
  const Matrix large = Matrix::Constant(1, 1, 1e300);
  const auto law = measure::gaussian(Vector::Ones(1), large);
  check_too_large([&] { measure::attend(*law, one, one, large); }, "queries");

  for (const auto mode :
       {mhla::OutputMode::kLast, mhla::OutputMode::kFull, mhla::OutputMode::kPrefix})
    check_too_large([&] { mhla::apply({{large, large}}, one, mode); }, "heads");

  for (const double variance : {1e-300, 1e300})
    check_too_large([&] { regression::flow_limit(Matrix::Constant(1, 1, variance)); },
                    "covariance");

  const mhla::Samples samples{Matrix::Constant(1, 1, 1e90), Matrix::Constant(1, 1, 1e45)};
  check_too_large([&] { mhla::predict(large, samples); }, "coefficients");
}

#include "measure/principal.h"

#include <doctest/doctest.h>

#include "core/error.h"
#include "core/random.h"
#include "reference.h"

using namespace attnlab;
using attnlab::tests::close;
using attnlab::tests::largest_difference;

TEST_CASE("principal components are uncorrelated, ordered and scaled as asked") {
  RandomStream random(4, 4);
  const Matrix tokens = random.gaussian_matrix(80, 4) * random.gaussian_matrix(4, 4);
  const auto total = measure::row_moments(tokens).covariance.trace();
  const auto none = measure::principal_components(tokens, 4, measure::Scaling::kNone);
  const auto moments = measure::row_moments(none);
  CHECK(moments.mean.norm() < 1e-13);
  CHECK(close(moments.covariance.trace(), total, 1e-12, 0));
  for (Index i = 0; i < 4; ++i)
    for (Index j = 0; j < i; ++j) {
      CHECK(std::fabs(moments.covariance(i, j)) < 1e-12 * total);
      CHECK(moments.covariance(i, i) < moments.covariance(j, j));
    }
  const auto unit = measure::principal_components(tokens, 2, measure::Scaling::kUnitAverage);
  CHECK(unit.cols() == 2);
  CHECK(close(measure::row_moments(unit).covariance.trace(), 2, 1e-12, 0));
  const auto white = measure::principal_components(tokens, 3, measure::Scaling::kWhitened);
  CHECK(largest_difference(measure::row_moments(white).covariance, Matrix(Matrix::Identity(3, 3))) <
        1e-12);
}

TEST_CASE("of tokens that vary in fewer directions those are kept; without any they are refused") {
  Matrix tokens = Matrix::Zero(5, 3);
  tokens.col(0) << 1, 2, 3, 4, 5;
  for (const auto scaling :
       {measure::Scaling::kNone, measure::Scaling::kUnitAverage, measure::Scaling::kWhitened}) {
    const auto kept = measure::principal_components(tokens, 2, scaling);
    REQUIRE(kept.cols() == 1);
    const double deviation = scaling == measure::Scaling::kNone ? std::sqrt(2.0) : 1.0;
    CHECK(close(std::sqrt(measure::row_moments(kept).covariance(0, 0)), deviation, 1e-12, 0));
  }
  CHECK_THROWS_AS(measure::principal_components(Matrix::Ones(5, 3), 1, measure::Scaling::kNone),
                  Error);
  CHECK_THROWS_AS(measure::principal_components(tokens, 4, measure::Scaling::kNone), Error);
}

#include "measure/frozen.h"

#include <doctest/doctest.h>

#include <cmath>

#include "reference.h"

using namespace attnlab;
using attnlab::tests::close;

TEST_CASE("the largest of a few normals has its known mean and mean square") {
  const double root_pi = std::sqrt(3.14159265358979323846);
  CHECK(close(measure::largest_normal(1).mean, 0, 0, 1e-9));
  CHECK(close(measure::largest_normal(1).mean_square, 1, 0, 1e-9));
  CHECK(close(measure::largest_normal(2).mean, 1 / root_pi, 0, 1e-9));
  CHECK(close(measure::largest_normal(2).mean_square, 1, 0, 1e-9));
  CHECK(close(measure::largest_normal(3).mean, 1.5 / root_pi, 0, 1e-9));
  CHECK(close(measure::largest_normal(3).mean_square,
              1 + std::sqrt(3.0) / (2 * 3.14159265358979323846), 0, 1e-9));
}

TEST_CASE("attention frozen on one token has that token's distance from the limit") {
  // One token: E|x - G a|^2 = tr G + |G a|^2.
  const Matrix covariance = (Matrix(2, 2) << 1.5, 0.4, 0.4, 0.7).finished();
  const Vector a = (Vector(2) << 0.8, -0.3).finished();
  const double expected = std::sqrt(covariance.trace() + (covariance * a).squaredNorm());
  CHECK(close(measure::frozen_output_error(covariance, a, 1), expected, 1e-8, 0));
  CHECK(close(measure::frozen_output_error(covariance, Vector::Zero(2), 100),
              std::sqrt(covariance.trace()), 1e-15, 0));
}

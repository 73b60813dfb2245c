#include "experiments/slope.h"

#include <doctest/doctest.h>

#include <cmath>

#include "experiments/moments.h"
#include "reference.h"

using namespace attnlab;
using namespace attnlab::experiments;
using attnlab::tests::close;

TEST_CASE("the slope of a power law is its exponent, with the error its points imply") {
  const std::vector<double> x = {1, 10, 100, 1000};
  const std::vector<double> y = {3, 3 * std::pow(10, -0.5), 0.3, 3 * std::pow(10, -1.5)};
  const std::vector<double> error = {0.03, 0.01 * y[1], 0.01 * y[2], 0.01 * y[3]};
  const Slope slope = log_slope(x, y, error, 0);
  CHECK(slope.points == 4);
  CHECK(close(slope.value, -0.5, 1e-13, 0));
  // sd 1 % a point over log-distances (-1.5, -0.5, 0.5, 1.5) ln 10, whose squares sum to 5 ln^2 10.
  CHECK(close(slope.error, 0.01 / (std::sqrt(5.0) * std::log(10.0)), 1e-12, 0));
  CHECK(log_slope(x, y, error, 50).points == 2);
}

TEST_CASE("points that cannot be on a log axis are left out") {
  const std::vector<double> x = {1, 10, 100};
  const std::vector<double> y = {0, std::nan(""), 1};
  const Slope slope = log_slope(x, y, x, 0);
  CHECK(slope.points == 1);
  CHECK(std::isnan(slope.value));
}

TEST_CASE("moments add up in any cut and give mean, error and root") {
  Moments whole, left, right;
  for (const double value : {1.0, 2.0, 4.0, 9.0}) {
    whole.add(value);
    (value < 3 ? left : right).add(value);
  }
  left.add(right);
  CHECK(left.sum == whole.sum);
  CHECK(left.mean().value == 4);
  // Variance 38 / 3 over 4 values.
  CHECK(close(left.mean().error, std::sqrt(38.0 / 12), 1e-15, 0));
  CHECK(left.root().value == 2);
  CHECK(close(left.root().error, std::sqrt(38.0 / 12) / 4, 1e-15, 0));
  CHECK(std::isnan(Moments().mean().value));
}

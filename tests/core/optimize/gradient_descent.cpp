#include "optimize/gradient_descent.h"

#include <doctest/doctest.h>
#include <cmath>

#include "core/error.h"
#include "reference.h"

using namespace attnlab;
using namespace attnlab::optimize;
using attnlab::tests::close;

namespace {

// 1/2 (x - 1)^2 + 2 (y + 2)^2.
double bowl(const Vector& x, Vector& gradient) {
  gradient[0] = x[0] - 1;
  gradient[1] = 4 * (x[1] + 2);
  return 0.5 * (x[0] - 1) * (x[0] - 1) + 2 * (x[1] + 2) * (x[1] + 2);
}

}  // namespace

TEST_CASE("a constant rate contracts each coordinate by 1 - rate * curvature a step") {
  DescentOptions options;
  options.rate = 0.1;
  options.largest_steps = 17;
  const Minimum end = descend(bowl, Vector::Zero(2), options);
  CHECK(end.reason == StopReason::kEvaluations);
  CHECK(end.iterations == 17);
  CHECK(close(end.point[0], 1 - std::pow(0.9, 17), 1e-13, 0));
  CHECK(close(end.point[1], -2 + 2 * std::pow(0.6, 17), 1e-13, 0));
}

TEST_CASE("a schedule replaces the rate step by step") {
  DescentOptions options;
  options.schedule = [](Index t) { return 0.5 / static_cast<double>(1 + t); };
  options.largest_steps = 3;
  const Minimum end = descend(bowl, Vector::Zero(2), options);
  CHECK(close(end.point[0], 1 - (1 - 0.5) * (1 - 0.25) * (1 - 0.5 / 3), 1e-14, 0));
}

TEST_CASE("a rate that is too large ends as not finite, at the last finite point") {
  DescentOptions options;
  options.rate = 1e6;
  const Minimum end = descend(bowl, Vector::Zero(2), options);
  CHECK(end.reason == StopReason::kNotFinite);
  CHECK(end.point.allFinite());
}

TEST_CASE("descent stops where the gradient vanishes") {
  DescentOptions options;
  options.rate = 0.4;
  const Minimum end = descend(bowl, Vector::Zero(2), options);
  CHECK(end.reason == StopReason::kGradient);
  CHECK(close(end.point[0], 1, 0, 1e-8));
}

TEST_CASE("rates and starts that make no sense are refused by name") {
  DescentOptions options;
  options.rate = -1;
  CHECK_THROWS_WITH_AS(GradientDescent(Vector::Zero(2), options), doctest::Contains("rate"), Error);
  CHECK_THROWS_WITH_AS(GradientDescent(Vector(0)), doctest::Contains("start"), Error);
}

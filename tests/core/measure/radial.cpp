// Spheres and balls at directions whose square leaves the range of a double.
#include <doctest/doctest.h>

#include <cmath>

#include "measure/measure.h"

using namespace attnlab;

TEST_CASE("a sphere and a ball are tilted to their edge by a direction of any length") {
  // grad Lambda = r R(r |a|) e with R(k) = 1 - O(1 / k).
  for (const double length : {1e20, 1e155, 1e300}) {
    CAPTURE(length);
    Vector a(2);
    a << 3 * length, -4 * length;
    for (const auto& law : {measure::sphere(2, 0.5), measure::ball(2, 0.5)}) {
      const auto tilted = law->tilt(a);
      CHECK(std::fabs(tilted.mean(0) - 0.3) < 1e-15);
      CHECK(std::fabs(tilted.mean(1) + 0.4) < 1e-15);
      CHECK(tilted.covariance.cwiseAbs().maxCoeff() < 1e-15);
    }
  }
}

TEST_CASE("a sphere and a ball are tilted in proportion to a direction of no length to speak of") {
  // grad Lambda = r^2 a / D, D = d for the sphere and d + 2 for the ball.
  Vector a(2);
  a << 3e-170, -4e-170;
  const Vector of_sphere = measure::sphere(2, 0.5)->tilt(a).mean;
  const Vector of_ball = measure::ball(2, 0.5)->tilt(a).mean;
  CHECK((of_sphere - 0.125 * a).norm() <= 1e-12 * a.stableNorm());
  CHECK(std::fabs(of_sphere(0) / 3e-170 - 0.125) < 1e-12);
  CHECK(std::fabs(of_ball(1) / -4e-170 - 0.0625) < 1e-12);
}

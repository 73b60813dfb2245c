#include "measure/bessel_ratio.h"

#include <doctest/doctest.h>

#include <cmath>

#include "reference.h"

using namespace attnlab;
using attnlab::tests::close;

TEST_CASE("half-integer Bessel ratios are their hyperbolic closed forms") {
  for (const double k : {1e-3, 0.1, 1.0, 7.0, 60.0, 900.0, 2e4, 2e5, 1e8}) {
    CAPTURE(k);
    CHECK(close(measure::bessel_ratio(0.5, k), std::tanh(k), 1e-14, 0));
    if (k > 0.5) {
      const double langevin = 1 / std::tanh(k) - 1 / k;
      CHECK(close(measure::bessel_ratio(1.5, k), langevin, 1e-14, 0));
      CHECK(close(measure::bessel_ratio(2.5, k), 1 / langevin - 3 / k, k < 5 ? 1e-13 : 1e-14, 0));
    }
  }
  CHECK(measure::bessel_ratio(2.5, 0) == 0);
  CHECK(close(measure::bessel_ratio(2.5, 1e-6), 1e-6 / 5, 1e-12, 0));
}

TEST_CASE("the log partition of the circle and of the sphere are known in closed form") {
  for (const double k : {1e-4, 0.3, 2.0, 50.0, 3000.0, 2e5}) {
    CAPTURE(k);
    // d = 1: log cosh k. d = 3: log (sinh k / k).
    const double e = std::exp(-2 * k);
    const double cosh = k + std::log1p(e) - std::log(2.0);
    const double sinh =
        k > 0.1 ? k + std::log1p(-e) - std::log(2 * k) : k * k / 6 - k * k * k * k / 180;
    CHECK(close(measure::log_bessel_partition(0.5, k), cosh, 1e-13, 1e-16));
    CHECK(close(measure::log_bessel_partition(1.5, k), sinh, 1e-13, 1e-16));
  }
}

TEST_CASE("the log partition passes from its series to its expansion without a step") {
  for (const double nu : {0.5, 1.0, 2.5, 10.0, 33.0}) {
    CAPTURE(nu);
    const double below = measure::log_bessel_partition(nu, 1e5);
    const double above = measure::log_bessel_partition(nu, std::nextafter(1e5, 1e6));
    CHECK(close(below, above, 1e-13, 0));
    const double ratio_below = measure::bessel_ratio(nu, 1e5);
    const double ratio_above = measure::bessel_ratio(nu, std::nextafter(1e5, 1e6));
    CHECK(close(ratio_below, ratio_above, 1e-13, 0));
  }
}

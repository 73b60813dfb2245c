#include "measure/query_law.h"

#include <doctest/doctest.h>

#include <cmath>

#include "reference.h"

using namespace attnlab;
using attnlab::tests::close;

TEST_CASE("the exponents for Gaussian queries are those of the fixed cases") {
  for (const auto& entry :
       tests::reference("large-prompt-finite_n_constants")["gaussian_query_exponents"])
    CHECK(close(-measure::gaussian_query_exponent(entry["s2"]), entry["mse_exponent"], 1e-12, 0));
}

TEST_CASE("the constant for Gaussian queries is the average of the fixed-query constant") {
  CHECK(close(measure::gaussian_query_constant(5, 0.1), 9.826, 0, 5e-4));
  // d = 1: integral of e^{q}(1 + q) over q = s2 z^2, by the trapezium rule, which is exact to
  // rounding for such integrands.
  const double strength = 0.2;
  double total = 0;
  for (double z = -20; z <= 20; z += 0.01) {
    const double q = strength * z * z;
    total += 0.01 * std::exp(q - z * z / 2) * (1 + q) / std::sqrt(2 * 3.14159265358979323846);
  }
  CHECK(close(measure::gaussian_query_constant(1, strength), total, 1e-12, 0));
  CHECK(std::isinf(measure::gaussian_query_constant(1, 0.5)));
}

TEST_CASE(
    "the share of queries whose law does not hold yet is the tail of the constant's integral") {
  for (const Index d : {1, 2, 3, 5, 8})
    for (const double strength : {0.05, 0.2, 0.4})
      for (const double n : {12.0, 64.0, 1024.0}) {
        const double beyond = std::log(n / 10) / 2;
        double tail = 0, all = 0;
        for (double r = 0; r < 40; r += 1e-3) {
          // Middle of the step: the tail begins between two of them.
          const double q = strength * (r + 5e-4) * (r + 5e-4);
          const double mass = std::exp(q - (r + 5e-4) * (r + 5e-4) / 2) *
                              std::pow(r + 5e-4, static_cast<double>(d - 1)) *
                              (static_cast<double>(d) + q);
          all += mass;
          if (q > beyond) tail += mass;
        }
        CAPTURE(d);
        CAPTURE(strength);
        CAPTURE(n);
        CHECK(close(measure::gaussian_query_early_share(d, strength, n), tail / all, 3e-3, 1e-3));
      }
  CHECK(measure::gaussian_query_early_share(3, 0.5, 1e9) == 1);
  CHECK(measure::gaussian_query_early_share(3, 0, 100) == 0);
  CHECK(measure::gaussian_query_early_share(3, 0.1, 10) == 1);
}

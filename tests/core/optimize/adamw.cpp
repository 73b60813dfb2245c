#include "optimize/adamw.h"

#include <doctest/doctest.h>
#include <cmath>

#include "core/error.h"
#include "reference.h"

using namespace attnlab;
using namespace attnlab::optimize;

TEST_CASE("the first two AdamW steps are those of the published recursion by hand") {
  AdamWOptions options;
  options.rate = 0.1;
  options.weight_decay = 0.5;
  AdamW search(Vector{{2.0, -1.0}}, options);
  REQUIRE(search.step(Vector{{3.0, -0.5}}));
  // Bias-corrected moments after one step are g and g^2: each entry moves by rate * sign(g), and
  // shrinks by rate * decay.
  CHECK(tests::close(search.point()(0), 2.0 - 0.1 * (3.0 / (3.0 + 1e-8) + 0.5 * 2.0), 1e-14, 0));
  CHECK(tests::close(search.point()(1), -1.0 - 0.1 * (-0.5 / (0.5 + 1e-8) - 0.5), 1e-14, 0));
  const double before = search.point()(0);
  REQUIRE(search.step(Vector{{1.0, 0.0}}));
  const double mean = (0.9 * 0.1 * 3.0 + 0.1 * 1.0) / (1 - 0.9 * 0.9);
  const double square = (0.999 * 0.001 * 9.0 + 0.001 * 1.0) / (1 - 0.999 * 0.999);
  CHECK(tests::close(search.point()(0),
                     before - 0.1 * (mean / (std::sqrt(square) + 1e-8) + 0.5 * before), 1e-12, 0));
  CHECK(search.steps() == 2);
}

TEST_CASE("AdamW without decay reaches the bottom of a bowl, and with decay stops above it") {
  const auto run = [](double decay) {
    AdamWOptions options;
    options.rate = 0.05;
    options.weight_decay = decay;
    AdamW search(Vector{{1.0, 1.0}}, options);
    for (int i = 0; i < 4000; ++i) {
      const Vector gradient{{2 * (search.point()(0) - 0.3), 20 * (search.point()(1) + 0.2)}};
      search.step(gradient, schedule_factor(Schedule::kLinear, i, 4000, 0));
    }
    return (search.point() - Vector{{0.3, -0.2}}).norm();
  };
  CHECK(run(0) < 1e-6);
  CHECK(run(1.0) > 1e-3);
}

TEST_CASE("a step out of the finite numbers is refused and the point kept") {
  AdamW search(Vector{{1.0}}, {});
  CHECK_FALSE(search.step(Vector{{1.0 / 0.0}}));
  CHECK(search.point()(0) == 1.0);
}

TEST_CASE("schedules warm up, hold and fall as they say") {
  CHECK(schedule_factor(Schedule::kConstant, 7, 10, 0) == 1);
  CHECK(schedule_factor(Schedule::kLinear, 5, 10, 0) == 0.5);
  CHECK(tests::close(schedule_factor(Schedule::kCosine, 5, 10, 0), 0.5, 0, 1e-15));
  CHECK(schedule_factor(Schedule::kCosine, 0, 10, 4) == 0.25);
  CHECK(schedule_factor(Schedule::kLinear, 10, 10, 4) == 0);
  CHECK_THROWS_AS(AdamW(Vector(), {}), Error);
}

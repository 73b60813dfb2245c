#include <cmath>

#include "experiments/small_runs.h"
#include "reference.h"

using namespace attnlab;
using attnlab::tests::close;

TEST_CASE("two heads end in superposition below one head a task, heads alike stay one") {
  const tests::SmallRun two("regression.task-allocation", {});
  CHECK(close(two.column("summary", "loss")[0], .383, 0, 2e-3));
  CHECK(close(two.column("summary", "dedicated")[0], .50764, 0, 1e-5));
  CHECK(close(two.column("summary", "shared")[0], .97408, 0, 1e-5));
  CHECK(std::isfinite(two.column("summary", "emergence")[0]));
  const tests::SmallRun alike("regression.task-allocation",
                              {{"start", std::string("symmetric")}, {"lastTime", 60.0}});
  CHECK(close(alike.column("summary", "loss")[0], .9741, 0, 2e-4));
  const tests::SmallRun one("regression.task-allocation", {{"heads", 1.0}, {"lastTime", 60.0}});
  CHECK(close(one.column("summary", "loss")[0], .9741, 0, 2e-4));
}

TEST_CASE("superposed heads have the first-order risk .429") {
  const tests::SmallRun two("regression.task-allocation", {});
  CHECK(close(two.column("loss", "firstOrder").back(), .429, 0, 1e-3));
}

TEST_CASE("every preset of regression.task-allocation runs at a small size") {
  tests::check_presets("regression.task-allocation", {{"lastTime", 5.0}});
}

#include <cmath>

#include "experiments/small_runs.h"
#include "reference.h"

using namespace attnlab;
using attnlab::tests::close;

TEST_CASE("the pair, the single head and the gradient steps have the reference risks at L = 40") {
  const tests::SmallRun run("regression.two-heads",
                            {{"testLengths", std::vector<double>{40}}, {"examples", 400000.0}}, 2);
  const auto near = [&](const char* column, const char* error, double value, double value_error) {
    CAPTURE(column);
    CHECK(std::fabs(run.column("test", column)[0] - value) <
          3 * std::hypot(run.column("test", error)[0], value_error));
  };
  near("pair", "pairError", .2434, .0005);
  near("single", "singleError", .4077, .0010);
  near("debiased", "debiasedError", .242857, 0);
  near("vanilla", "vanillaError", .239785, 0);
  CHECK(close(run.column("summary", "mu")[0], 3.3807476522, 1e-9, 0));
}

TEST_CASE("a start with opposite signs reaches the pair's loss, one with equal signs does not") {
  const experiments::Values small = {{"testLengths", std::vector<double>{40}},
                                     {"examples", 2000.0}};
  auto values = small;
  const tests::SmallRun opposite("regression.two-heads", values);
  CHECK(opposite.column("loss", "loss").back() < .2230);
  CHECK(opposite.column("learned", "sign") == std::vector<double>{1, -1});
  values["start"] = std::string("same");
  const tests::SmallRun same("regression.two-heads", values);
  CHECK(close(same.column("loss", "loss").back(), .37207, 0, 1e-4));
  CHECK(close(same.column("learned", "omega")[0], 1 / std::sqrt(5.0), 0, 1e-3));
  // The times begin at 0 and grow.
  const auto& time = same.column("loss", "time");
  CHECK(time[0] == 0);
  for (std::size_t i = 1; i < time.size(); ++i)
    CHECK(time[i] > time[i - 1]);
}

TEST_CASE("every preset of regression.two-heads runs at a small size") {
  tests::check_presets(
      "regression.two-heads",
      {{"testLengths", std::vector<double>{8, 16}}, {"examples", 2000.0}, {"lastTime", 20.0}});
}

TEST_CASE("the largest start of the flow is within its reach at every dimension") {
  const tests::SmallRun run("regression.two-heads",
                            {{"dimension", 20.0}, {"startSize", 1.0}, {"examples", 2000.0}});
  for (const double loss : run.column("loss", "loss"))
    CHECK(std::isfinite(loss));
}

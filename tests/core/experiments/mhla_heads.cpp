#include <doctest/doctest.h>

#include <string>

#include "core/error.h"
#include "experiments/parameters.h"
#include "experiments/registry.h"

using namespace attnlab;
using namespace attnlab::experiments;

namespace {

RunResult run_preset(const char* preset, const Values& changes) {
  const Experiment& experiment = find_experiment("mhla.heads");
  Values values = preset_values(experiment.descriptor(), preset);
  for (const auto& change : changes)
    values[change.first] = change.second;
  return run_to_end(experiment, values, 2);
}
double summary(const RunResult& result, const char* name) {
  return number_column(find_experiment("mhla.heads"), result.tables, "summary", name).at(0);
}

}  // namespace

TEST_CASE("a general function needs the counted heads, fewer than the solver's d^2") {
  for (const double d : {2.0, 3.0}) {
    const RunResult result = run_preset("general", {{"dimension", d}, {"steps", 50.0}});
    CHECK(summary(result, "solverHeads") == d * d);
    CHECK(summary(result, "generalHeads") == (d == 2 ? 2 : 4));
    CHECK(summary(result, "leastHeads") == summary(result, "generalHeads"));
    CHECK(summary(result, "rank") == summary(result, "dimension"));
  }
}

TEST_CASE("a single head comes back as many and is found again as one") {
  const RunResult result = run_preset("one-head", {{"steps", 50.0}, {"starts", 8.0}});
  CHECK(summary(result, "solverHeads") == 9);
  CHECK(summary(result, "leastHeads") == 1);
}

TEST_CASE("gradient descent gets lower with more heads than needed, and its map is complete") {
  const Experiment& experiment = find_experiment("mhla.heads");
  const RunResult result = run_preset("general", {{"dimension", 2.0}, {"dataSets", 2.0}});
  const auto& excess = number_column(experiment, result.tables, "map", "excess");
  REQUIRE(excess.size() == 6);  // three numbers of heads, two data sets
  CHECK(excess[3] > -3);        // one head on full data stalls
  CHECK(excess[5] < -6);        // three heads get near
}

TEST_CASE("a head that is not there is refused by name") {
  CHECK_THROWS_AS(run_preset("general", {{"dimension", 2.0}, {"head", 5.0}}), Error);
}

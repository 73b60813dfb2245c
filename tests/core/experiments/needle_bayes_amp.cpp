#include <doctest/doctest.h>

#include <cmath>

#include "experiments/parameters.h"
#include "experiments/registry.h"
#include "reference.h"

using namespace attnlab;
using namespace attnlab::experiments;
using attnlab::tests::close;

namespace {

const Experiment& passing() {
  return find_experiment("needle.bayes-amp");
}

std::vector<double> column(const RunResult& result, const char* table, const char* name) {
  return number_column(passing(), result.tables, table, name);
}

}  // namespace

TEST_CASE("message passing and theory end at the reference error, from both starts") {
  const auto result = run_to_end(passing(),
                                 {{"dimension", 120.0},
                                  {"replicates", 4.0},
                                  {"theorySamples", 2000.0},
                                  {"ratios", std::vector<double>{2, 8}}},
                                 1);
  CHECK(close(column(result, "summary", "uninformed")[0], .3810, 0, 3e-3));
  CHECK(close(column(result, "summary", "informed")[0], .3810, 0, 3e-3));
  CHECK(close(column(result, "summary", "run")[0], .3810, 0,
              3.7 * column(result, "summary", "runError")[0] + .005));
  CHECK(close(column(result, "sweep", "uninformed")[0], .4103, 0, 3e-3));
  CHECK(close(column(result, "sweep", "uninformed")[1], .3667, 0, 3e-3));
  CHECK(std::isnan(column(result, "summary", "gapFrom")[0]));
  const auto& t = column(result, "iterations", "iteration");
  CHECK(t.size() == 26);
  // Knowing nothing, the first answer is 0.
  CHECK(close(column(result, "iterations", "uninformedRisk")[0], 1, 0, 1e-3));
  CHECK(close(column(result, "iterations", "uninformedRiskRun")[0], 1, 0, 1e-2));
}

TEST_CASE("the hard phase shows as a gap near alpha = 1.2") {
  Values values = preset_values(passing().descriptor(), "hard-phase");
  values["ratios"] = std::vector<double>{1.1, 1.2, 1.3};
  values["replicates"] = 1.0;
  values["dimension"] = 40.0;
  values["iterations"] = 5.0;
  values["theorySamples"] = 2000.0;
  const auto result = run_to_end(passing(), values, 2);
  CHECK(column(result, "summary", "gapFrom")[0] == 1.2);
  CHECK(column(result, "summary", "gapTo")[0] == 1.2);
}

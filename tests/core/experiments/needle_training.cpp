#include <doctest/doctest.h>

#include <cmath>

#include "experiments/parameters.h"
#include "experiments/registry.h"
#include "reference.h"

using namespace attnlab;
using namespace attnlab::experiments;
using attnlab::tests::close;

namespace {

const Experiment& training() {
  return find_experiment("needle.training");
}

std::vector<double> column(const RunResult& result, const char* table, const char* name) {
  return number_column(training(), result.tables, table, name);
}

}  // namespace

TEST_CASE("the paper's start on the manifold ends where the reduced simulation does") {
  const auto result =
      run_to_end(training(), preset_values(training().descriptor(), "manifold-start"), 1);
  CHECK(column(result, "summary", "step")[0] == 20000);
  CHECK(close(column(result, "summary", "key")[0], .983, 0, 6e-4));
  CHECK(close(column(result, "summary", "value")[0], 1, 0, 1e-4));
  CHECK(close(column(result, "summary", "risk")[0], .1137, 0, 6e-5));
  CHECK(close(column(result, "summary", "bestLambda")[0], .0638, 0.01, 0));
  // The flow is the descent's limit, and the descent's steps are small.
  const auto descent = column(result, "path", "key"), flow = column(result, "path", "flowKey");
  for (std::size_t i = 0; i < descent.size(); ++i)
    CHECK(close(flow[i], descent[i], 0, 0.02));
}

TEST_CASE("from the sphere the distance to the manifold shrinks and the overlaps grow") {
  Values values = preset_values(training().descriptor(), "sphere-start");
  values["steps"] = 10000.0;
  const auto result = run_to_end(training(), values, 1);
  const auto distance = column(result, "path", "distance");
  CHECK(distance.front() > 0.01);
  CHECK(distance.back() < 0.01 * distance.front());
  CHECK(std::fabs(column(result, "path", "key").back()) > 0.8);
}

TEST_CASE("stochastic descent is near the exact one") {
  const auto result = run_to_end(training(),
                                 {{"dimension", 40.0},
                                  {"steps", 1500.0},
                                  {"lambda", 0.3},
                                  {"startKey", 0.3},
                                  {"startValue", 0.3},
                                  {"rate", 0.002},
                                  {"replicates", 5.0}},
                                 2);
  const double exact = column(result, "path", "key").back();
  CHECK(close(column(result, "stochastic", "key").back(), exact, 0,
              4 * column(result, "stochastic", "keyError").back() + 0.05));
}

TEST_CASE("the flow's arrows point uphill nowhere") {
  const auto result = run_to_end(training(), {{"steps", 10.0}, {"stochastic", false}}, 1);
  const auto key = column(result, "field", "key"), value = column(result, "field", "value");
  const auto to_key = column(result, "field", "keyTo"),
             to_value = column(result, "field", "valueTo");
  CHECK(key.size() > 250);
  for (std::size_t i = 0; i < key.size(); ++i)
    CHECK(close(std::hypot(to_key[i] - key[i], to_value[i] - value[i]), 0.07, 1e-9, 0));
  // Near (1, 1) the flow goes there: the last corner's arrow points up or right.
  CHECK(to_key.back() + to_value.back() > key.back() + value.back());
}

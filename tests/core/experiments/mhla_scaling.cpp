#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "core/error.h"
#include "experiments/parameters.h"
#include "experiments/registry.h"

using namespace attnlab;
using namespace attnlab::experiments;

TEST_CASE("all ways reach the same accuracy where the data are well conditioned") {
  const Experiment& experiment = find_experiment("mhla.scaling");
  Values values = preset_values(experiment.descriptor(), "growth");
  values["dimensions"] = std::vector<double>{2, 3, 4};
  const RunResult result = run_to_end(experiment, values, 1);
  const auto column = [&](const char* name) {
    return number_column(experiment, result.tables, "points", name);
  };
  REQUIRE(column("dimension").size() == 12);
  for (std::size_t i = 0; i < 12; ++i) {
    CAPTURE(i);
    CHECK(std::isfinite(column("milliseconds")[i]));
    CHECK(column("milliseconds")[i] > 0);
    CHECK(column("loss")[i] < 1e-26);
    if (i % 4 != 3) CHECK(column("distance")[i] < 1e-12);
    if (i % 4 == 3) CHECK(column("distance")[i] > 0.1);  // the kernel form has half the samples
  }
}

TEST_CASE("near-collinear coordinates cost every way digits and none its fit") {
  const Experiment& experiment = find_experiment("mhla.scaling");
  Values values = preset_values(experiment.descriptor(), "near-collinear");
  values["dimensions"] = std::vector<double>{3, 4};
  const RunResult result = run_to_end(experiment, values, 1);
  const auto& distance = number_column(experiment, result.tables, "points", "distance");
  const auto& loss = number_column(experiment, result.tables, "points", "loss");
  for (std::size_t i = 0; i < distance.size(); ++i) {
    if (i % 4 == 3) continue;
    CAPTURE(i);
    CHECK(distance[i] < 1e-7);
    CHECK(loss[i] < 1e-24);
  }
}

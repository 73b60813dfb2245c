#include <doctest/doctest.h>

#include <string>

#include "core/error.h"
#include "experiments/parameters.h"
#include "experiments/registry.h"

using namespace attnlab;
using namespace attnlab::experiments;

namespace {

Values small(const std::string& preset) {
  const Experiment& experiment = find_experiment("mhla.learn");
  Values values = preset_values(experiment.descriptor(), preset);
  values["sequences"] = 96.0;
  values["length"] = 20.0;
  values["epochs"] = 60.0;
  values["otherEpochs"] = 2.0;
  values["replicates"] = 2.0;
  return values;
}

}  // namespace

TEST_CASE("least squares is at rounding level on training and unseen sequences, for every preset") {
  const Experiment& experiment = find_experiment("mhla.learn");
  for (const auto& preset : experiment.descriptor().presets) {
    CAPTURE(preset.name);
    const RunResult result = run_to_end(experiment, small(preset.name), 3);
    const auto column = [&](const char* name) {
      return number_column(experiment, result.tables, "summary", name).at(0);
    };
    CHECK(column("trainingLoss") < 1e-24 * column("variance"));
    CHECK(column("heldOutLoss") < 1e-24 * column("variance"));
    CHECK(column("minimumEigenvalue") > 0);
    const double d = std::get<double>(small(preset.name).at("dimension"));
    CHECK(column("solverHeads") <= d);  // scalar output: at most d heads
    CHECK(column("best") > column("trainingLoss"));
    // Two runs of every curve.
    const auto& runs = number_column(experiment, result.tables, "final", "run");
    CHECK(runs.size() % 2 == 0);
    CHECK(runs.size() >= 8);
  }
}

TEST_CASE("trained losses fall from the start and weight decay holds them up") {
  const Experiment& experiment = find_experiment("mhla.learn");
  const auto best = [&](const char* preset) {
    Values values = small(preset);
    values["heads"] = std::vector<double>{8};
    values["epochs"] = 300.0;
    const RunResult result = run_to_end(experiment, values, 3);
    const auto& losses = number_column(experiment, result.tables, "curves", "loss");
    CHECK(losses.back() < 1e-3 * losses.front());
    return number_column(experiment, result.tables, "summary", "best").at(0);
  };
  CHECK(best("figure-1a") < 1e-14);
  CHECK(best("weight-decay") > 1e-13);
}

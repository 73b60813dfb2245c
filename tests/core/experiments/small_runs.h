// Runs of experiments for tests.
#pragma once

#include <doctest/doctest.h>

#include "experiments/parameters.h"
#include "experiments/registry.h"

namespace attnlab::tests {

struct SmallRun {
  const experiments::Experiment& experiment;
  experiments::RunResult result;

  SmallRun(const char* id, const experiments::Values& values, std::uint64_t seed = 1)
      : experiment(experiments::find_experiment(id)),
        result(experiments::run_to_end(experiment, values, seed)) {}

  const std::vector<double>& column(const char* table, const char* name) const {
    return experiments::number_column(experiment, result.tables, table, name);
  }
};

// Every preset, made small by `smaller`, fills every table it should, and its tasks may be run in
// any order; half of them already make tables.
inline void check_presets(const char* id, const experiments::Values& smaller) {
  const auto& experiment = experiments::find_experiment(id);
  for (const auto& preset : experiment.descriptor().presets) {
    CAPTURE(preset.name);
    experiments::Values values = preset.values;
    for (const auto& entry : smaller)
      values[entry.first] = entry.second;
    const auto expected =
        experiments::fingerprint(experiments::run_to_end(experiment, values, 3).tables);
    const auto plan = experiment.prepare(experiments::complete(experiment.descriptor(), values), 3);
    std::vector<experiments::Record> records(plan->task_count());
    CHECK(plan->summarise(records).size() == experiment.descriptor().tables.size());
    for (std::size_t number = records.size(); number-- > 0;) {
      const auto task = plan->task(number);
      while (!task->step())
        records[number] = task->record();
      records[number] = task->record();
      if (2 * number > records.size() && 2 * number < records.size() + 3)
        CHECK(plan->summarise(records).size() == experiment.descriptor().tables.size());
    }
    CHECK(experiments::fingerprint(plan->summarise(records)) == expected);
    CHECK(plan->cost(0) > 0);
  }
}

}  // namespace attnlab::tests

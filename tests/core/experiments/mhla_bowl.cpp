#include <doctest/doctest.h>

#include "core/error.h"
#include "experiments/parameters.h"
#include "experiments/registry.h"
#include "reference.h"

using namespace attnlab;
using namespace attnlab::experiments;

namespace {

double summary(const RunResult& result, const char* name) {
  return number_column(find_experiment("mhla.bowl"), result.tables, "summary", name).at(0);
}

RunResult run_preset(const char* preset, const Values& changes = {}) {
  const Experiment& experiment = find_experiment("mhla.bowl");
  Values values = preset_values(experiment.descriptor(), preset);
  for (const auto& change : changes)
    values[change.first] = change.second;
  return run_to_end(experiment, values, 1);
}

}  // namespace

TEST_CASE("two heads reach the bottom of the bowl and one head an axis, or its neighbourhood") {
  for (const char* preset : {"relaxation", "better-axis", "tilted"}) {
    const RunResult result = run_preset(preset, {{"steps", 20000.0}});
    CHECK(summary(result, "moreHeads") < 1e-20);
    CHECK(summary(result, "oneHead") >= summary(result, "bestOneHead") * (1 - 1e-9));
  }
}

TEST_CASE("the best points on the axes are those of a line search") {
  const RunResult result = run_preset("tilted");
  const double first = summary(result, "firstBest");
  CHECK(tests::close(first, 2.0 - 0.7, 1e-14, 0));
  CHECK(tests::close(summary(result, "secondBest"), -1.0 + 0.7 * 2.0, 1e-14, 0));
  const auto loss = [](double x, double y) {
    const double a = x - 2, b = y + 1;
    return a * a + 1.4 * a * b + b * b;
  };
  CHECK(tests::close(summary(result, "bestOneHead"), loss(first, 0), 1e-12, 0));
  CHECK(loss(first + 1e-3, 0) > loss(first, 0));
  CHECK(loss(first - 1e-3, 0) > loss(first, 0));
}

TEST_CASE("a rate too large is told as divergence") {
  const RunResult result = run_preset("relaxation", {{"rate", 1.0}});
  CHECK(result.diverged_at.has_value());
}

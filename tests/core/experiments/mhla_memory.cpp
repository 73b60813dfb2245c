#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "core/error.h"
#include "experiments/parameters.h"
#include "experiments/registry.h"
#include "reference.h"

using namespace attnlab;
using namespace attnlab::experiments;

namespace {

const Experiment& memory() {
  return find_experiment("mhla.memory");
}

struct Summary {
  RunResult result;
  double operator()(const char* name) const {
    return number_column(memory(), result.tables, "summary", name)[0];
  }
};

Summary run_preset(const std::string& name, Values values = {}) {
  for (const auto& preset : memory().descriptor().presets)
    if (preset.name == name) values.insert(preset.values.begin(), preset.values.end());
  values.insert({"prompts", 100.0});
  return {run_to_end(memory(), values, 6)};
}

std::string failed_parameter(const Values& values) {
  try {
    memory().prepare(complete(memory().descriptor(), values), 1);
  } catch (const Error& error) {
    return error.parameter();
  }
  return "none";
}

}  // namespace

TEST_CASE("on prompts of the learned kind every model that fits gives the value back") {
  const Summary summary = run_preset("orthogonal");
  CHECK(summary("rank") == 248);
  CHECK(summary("features") == 288);
  CHECK(summary("determined") == 1);
  CHECK(summary("linearError") < 1e-14);
  CHECK(summary("learnedError") < 1e-11);
  CHECK(summary("otherError") < 1e-11);
  CHECK(summary("trainingError") < 1e-24);
  CHECK(summary("otherTrainingError") < 1e-24);
}

TEST_CASE(
    "off the data the least-norm model happens to be right and another one that fits is not") {
  const Summary summary = run_preset("off-data");
  CHECK(summary("determined") == 0);
  CHECK(summary("residual") > 0.01);
  CHECK(summary("learnedError") < 1e-11);
  CHECK(summary("otherError") > 0.05);
  CHECK(summary("otherTrainingError") < 1e-24);
}

TEST_CASE("with some Gaussian prompts no null vector is left to add") {
  const Summary summary = run_preset("determined", {{"samples", 2048.0}, {"gaussianShare", 0.2}});
  CHECK(summary("rank") == 288);
  CHECK(summary("determined") == 1);
  CHECK(summary("minimumEigenvalue") > 0.01);
  CHECK(summary("learnedError") < 1e-10);
  CHECK(summary("otherError") == summary("learnedError"));
}

TEST_CASE("five per cent of Gaussian prompts give the smallest eigenvalue of the paper's figure") {
  const Summary summary = run_preset("orthogonal", {{"gaussianShare", 0.05}, {"samples", 16384.0}});
  // .0606 in one draw of 2^14 prompts, of which 819 are Gaussian; other draws lie within a fifth.
  CHECK(std::fabs(summary("minimumEigenvalue") / 0.0606 - 1) < 0.2);
}

TEST_CASE("crosstalk of linear attention is the derived one, and softmax has less") {
  const Summary summary = run_preset("crowded", {{"prompts", 1000.0}, {"samples", 64.0}});
  const auto column = [&](const char* name) {
    return number_column(memory(), summary.result.tables, "crosstalk", name);
  };
  const auto pairs = column("pairs");
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    CHECK(tests::close(column("theory")[i], std::sqrt((pairs[i] - 1) / 4), 1e-14, 0));
    CHECK(std::fabs(column("linear")[i] - column("theory")[i]) <
          4 * column("linearError")[i] + 1e-12);
    if (pairs[i] > 1) CHECK(column("softmax")[i] < 0.7 * column("linear")[i]);
  }
  CHECK(pairs.back() == 64);
}

TEST_CASE("what stands in the query token comes back, and noise on the query is felt") {
  CHECK(run_preset("query-value")("linearError") > 0.3);
  CHECK(run_preset("orthogonal", {{"keyNoise", 0.5}, {"samples", 64.0}})("linearError") > 0.05);
}

TEST_CASE(
    "the order of the tasks of mhla.memory changes nothing, and none is needed for the bars") {
  const Values values = {
      {"samples", 128.0}, {"prompts", 100.0}, {"keyDimension", 3.0}, {"pairs", 3.0}};
  const auto expected = fingerprint(run_to_end(memory(), values, 5).tables);
  const auto plan = memory().prepare(complete(memory().descriptor(), values), 5);
  std::vector<Record> records(plan->task_count());
  REQUIRE(records.size() == 3);
  CHECK(number_column(memory(), plan->summarise(records), "weights", "weight").size() == 8);
  for (std::size_t number = records.size(); number-- > 0;) {
    const auto task = plan->task(number);
    CHECK(task->progress() == 0);
    while (!task->step()) {
      records[number] = task->record();
      plan->summarise(records);
    }
    CHECK(task->progress() == 1);
    records[number] = task->record();
  }
  CHECK(fingerprint(plan->summarise(records)) == expected);
}

TEST_CASE("memories that cannot be written are refused by name") {
  CHECK(failed_parameter({{"pairs", 5.0}}) == "pairs");
  CHECK(failed_parameter({{"pairs", 5.0}, {"keys", std::string("unit")}}) == "none");
  CHECK(failed_parameter({{"asked", 5.0}}) == "asked");
  CHECK(failed_parameter({{"gaussianShare", 1.5}}) == "gaussianShare");
}

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "core/error.h"
#include "experiments/parameters.h"
#include "experiments/registry.h"

using namespace attnlab;
using namespace attnlab::experiments;

namespace {

const Experiment& automata() {
  return find_experiment("mhla.automata");
}

std::string failed_parameter(const Values& values) {
  try {
    automata().prepare(complete(automata().descriptor(), values), 1);
  } catch (const Error& error) {
    return error.parameter();
  }
  return "none";
}

}  // namespace

TEST_CASE(
    "the certified share of small automata rises as measured, and what is certified is right") {
  const Values values = {
      {"traces", std::vector<double>{8, 16, 32, 64}}, {"replicates", 8.0}, {"executed", 50.0}};
  const auto result = run_to_end(automata(), values, 3);
  const auto column = [&](const char* table, const char* name) {
    return number_column(automata(), result.tables, table, name);
  };
  // One draw each gave .03, .36, .89, 1.00; single draws scatter by about .07 in the middle.
  const double expected[] = {0.03, 0.36, 0.89, 1.00};
  REQUIRE(column("points", "certified").size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(std::fabs(column("points", "certified")[i] - expected[i]) < 0.1);
    CHECK(column("points", "certifiedRight")[i] == 1);
    CHECK(column("points", "largestError")[i] < 1e-12);
    CHECK(column("points", "right")[i] >= column("points", "certified")[i]);
  }
  CHECK(column("points", "rolledOut")[3] == 1);
  CHECK(column("summary", "certifiedWrong")[0] == 0);
  CHECK(column("summary", "features")[0] == 7200);
  CHECK(column("summary", "exact")[0] == 50);
  CHECK(column("construction", "exact")[1] == 50);
  // Outcomes 2 and the certified share are the same statement, replicate by replicate.
  const auto& outcomes = column("outcomes", "outcome");
  CHECK(std::count(outcomes.begin(), outcomes.end(), 3.0) == 0);
  CHECK(outcomes.size() == 4 * 64);
}

TEST_CASE("every preset of mhla.automata runs at a small size") {
  for (const auto& preset : automata().descriptor().presets) {
    CAPTURE(preset.name);
    Values values = preset.values;
    values["traces"] = std::vector<double>{8, 24};
    values["replicates"] = 2.0;
    values["asked"] = 6.0;
    values["executed"] = 10.0;
    const auto result = run_to_end(automata(), values, 1);
    CHECK(number_column(automata(), result.tables, "summary", "exact")[0] == 10);
    CHECK(number_column(automata(), result.tables, "points", "replicates")[1] == 2);
    const auto& truth = number_column(automata(), result.tables, "example", "state");
    const auto completed = complete(automata().descriptor(), values);
    CHECK(truth.size() == static_cast<std::size_t>(number(completed, "length")) + 1);
  }
}

TEST_CASE(
    "the order of the tasks of mhla.automata changes nothing, and part of them makes a figure") {
  const Values values = {{"traces", std::vector<double>{4, 12}},
                         {"replicates", 2.0},
                         {"asked", 5.0},
                         {"executed", 7.0}};
  const auto expected = fingerprint(run_to_end(automata(), values, 5).tables);
  const auto plan = automata().prepare(complete(automata().descriptor(), values), 5);
  std::vector<Record> records(plan->task_count());
  REQUIRE(records.size() == 5);
  plan->summarise(records);
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

TEST_CASE("classes and traces of automata that do not fit each other are refused by name") {
  CHECK(failed_parameter({{"traces", std::vector<double>{128}}}) == "traces");
  CHECK(failed_parameter({{"traces", std::vector<double>{2.5}}}) == "traces");
  CHECK(failed_parameter({{"traces", std::vector<double>{120}}, {"example", 9.0}}) == "example");
  CHECK(failed_parameter({{"traces", std::vector<double>{120}}, {"example", 8.0}}) == "none");
  CHECK(failed_parameter({{"states", 5.0}}) == "states");
}

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

const Experiment& turing() {
  return find_experiment("mhla.turing");
}

// Little to learn from.
Values small(Values values) {
  values["traces"] = std::vector<double>{4, 10};
  values["replicates"] = 2.0;
  values["asked"] = 4.0;
  return values;
}

std::string failed_parameter(const Values& values) {
  try {
    turing().prepare(complete(turing().descriptor(), values), 1);
  } catch (const Error& error) {
    return error.parameter();
  }
  return "none";
}

}  // namespace

TEST_CASE("the busy beaver is written by 232 heads in 138 tokens, and halts after six steps") {
  const auto result = run_to_end(turing(), small({}), 1);
  const auto summary = [&](const char* name) {
    return number_column(turing(), result.tables, "summary", name)[0];
  };
  CHECK(summary("dimension") == 1181);
  CHECK(summary("heads") == 232);
  CHECK(summary("tokens") == 138);
  CHECK(summary("wrongCells") == 0);
  CHECK(summary("exact") == 1);
  CHECK(summary("haltedAfter") == 6);
  // .0 .1 .1 H1 .1 .0
  const auto& symbols = number_column(turing(), result.tables, "tape", "symbol");
  CHECK(std::vector<double>(symbols.end() - 6, symbols.end()) ==
        std::vector<double>{0, 1, 1, 1, 1, 0});
  CHECK(number_column(turing(), result.tables, "head", "cell").back() == 3);
  CHECK(symbols == number_column(turing(), result.tables, "tape", "expected"));
}

TEST_CASE("machines learned from 120 traces are certified for two fifths and right there") {
  Values values = {{"traces", std::vector<double>{60, 120}}, {"replicates", 1.0}, {"asked", 24.0}};
  const auto result = run_to_end(turing(), values, 2);
  const auto points = [&](const char* name) {
    return number_column(turing(), result.tables, "points", name);
  };
  CHECK(points("certified")[0] == 0);
  // The reference run has .456 certified and .86, .91 right.
  CHECK(std::fabs(points("certified")[1] - 0.456) < 0.12);
  CHECK(points("certifiedRight")[1] == 1);
  CHECK(points("largestError")[1] < 1e-9);
  CHECK(std::fabs(points("right")[0] - 0.86) < 0.08);
  CHECK(std::fabs(points("right")[1] - 0.91) < 0.08);
  CHECK(points("samples")[1] == 12 * 120);
}

TEST_CASE("every preset of mhla.turing runs, and none writes a wrong cell") {
  for (const auto& preset : turing().descriptor().presets) {
    CAPTURE(preset.name);
    const auto result = run_to_end(turing(), small(preset.values), 4);
    const auto summary = [&](const char* name) {
      return number_column(turing(), result.tables, "summary", name)[0];
    };
    CHECK(summary("wrongCells") == 0);
    CHECK(summary("exact") == 1);
    CHECK(number_column(turing(), result.tables, "tape", "time").size() ==
          static_cast<std::size_t>((summary("steps") + 1) * summary("width")));
    if (preset.name == "busy-beaver-3") CHECK(summary("haltedAfter") == 21);
    if (preset.name == "busy-beaver-4") CHECK(summary("haltedAfter") == 107);
  }
}

TEST_CASE("the counter counts: its tape passes through the binary numbers in order") {
  const auto result = run_to_end(turing(), small({{"machine", std::string("binary-counter")}}), 1);
  const auto& symbols = number_column(turing(), result.tables, "tape", "symbol");
  std::vector<double> numbers{0};
  for (std::size_t row = 0; row < symbols.size(); row += 6) {
    // Cells 0 ... 4, the lowest digit next to the mark; while a carry runs the tape is between two
    // numbers, and then below the last one.
    double number = 0;
    for (std::size_t i = 0; i < 5; ++i)
      number = 2 * number + symbols[row + i];
    if (number == numbers.back() + 1) numbers.push_back(number);
  }
  CHECK(numbers.size() >= 4);
}

TEST_CASE("your own machine runs, and what is no machine is refused by name") {
  const Values own = {{"machine", std::string("own")},
                      {"rules", std::string("1RB0LA_0RA1LB")},
                      {"tape", std::string("0110")},
                      {"head", 1.0},
                      {"steps", 5.0}};
  const auto result = run_to_end(turing(), small(own), 1);
  CHECK(number_column(turing(), result.tables, "summary", "wrongCells")[0] == 0);
  const auto with = [&own](const char* name, Value value) {
    Values values = own;
    values[name] = std::move(value);
    return values;
  };
  CHECK(failed_parameter(with("rules", std::string("1RB"))) == "rules");
  CHECK(failed_parameter(with("rules", std::string(""))) == "rules");
  CHECK(failed_parameter(with("tape", std::string("012"))) == "tape");
  CHECK(failed_parameter(with("tape", std::string(""))) == "tape");
  CHECK(failed_parameter(with("head", 4.0)) == "head");
  CHECK(failed_parameter({{"example", 41.0}}) == "example");
  CHECK(failed_parameter(
            {{"traces", std::vector<double>{600}}, {"learnedWidth", 3.0}, {"learnedSteps", 3.0}}) ==
        "traces");
}

TEST_CASE(
    "the order of the tasks of mhla.turing changes nothing, and part of them makes a figure") {
  const Values values = small({});
  const auto expected = fingerprint(run_to_end(turing(), values, 5).tables);
  const auto plan = turing().prepare(complete(turing().descriptor(), values), 5);
  std::vector<Record> records(plan->task_count());
  REQUIRE(records.size() == 5);
  plan->summarise(records);
  for (std::size_t number = records.size(); number-- > 0;) {
    const auto task = plan->task(number);
    CHECK(task->progress() == 0);
    for (int steps = 0; !task->step(); ++steps) {
      if (steps % 7 != 0) continue;
      records[number] = task->record();
      plan->summarise(records);
    }
    CHECK(task->progress() == 1);
    records[number] = task->record();
  }
  CHECK(fingerprint(plan->summarise(records)) == expected);
}

// Walks the registry: what a descriptor says must hold together, for every experiment.
#include "experiments/registry.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <regex>
#include <set>
#include <string>

#include "core/error.h"
#include "experiments/parameters.h"

using namespace attnlab;
using namespace attnlab::experiments;

namespace {

bool is_lower_camel(const std::string& name) {
  static const std::regex pattern("[a-z][A-Za-z0-9]*");
  return std::regex_match(name, pattern);
}

const Parameter* find_parameter(const Descriptor& descriptor, const std::string& name) {
  for (const auto& parameter : descriptor.parameters)
    if (parameter.name == name) return &parameter;
  return nullptr;
}

const TableSpec* find_table(const Descriptor& descriptor, const std::string& name) {
  for (const auto& table : descriptor.tables)
    if (table.name == name) return &table;
  return nullptr;
}

bool has_column(const TableSpec& table, const std::string& name) {
  return std::any_of(table.columns.begin(), table.columns.end(),
                     [&](const Column& column) { return column.name == name; });
}

// Every value of a condition can be taken by its parameter.
void check_condition(const Descriptor& descriptor, const Condition& condition) {
  if (condition.parameter.empty()) {
    CHECK(condition.values.empty());
    return;
  }
  CAPTURE(condition.parameter);
  const Parameter* parameter = find_parameter(descriptor, condition.parameter);
  REQUIRE(parameter != nullptr);
  CHECK_FALSE(condition.values.empty());
  for (const auto& value : condition.values) {
    CAPTURE(value);
    if (parameter->type == ParameterType::kChoice) {
      CHECK(std::any_of(parameter->choices.begin(), parameter->choices.end(),
                        [&](const Choice& choice) { return choice.name == value; }));
    } else {
      REQUIRE(parameter->type == ParameterType::kBoolean);
      CHECK((value == "true" || value == "false"));
    }
  }
}

// {parameterName} and {table.column} in a caption or answer; e^{2q} is a formula.
void check_placeholders(const Descriptor& descriptor, const std::string& text) {
  static const std::regex placeholder("(^|[^^_])\\{([^}]*)\\}");
  for (std::sregex_iterator match(text.begin(), text.end(), placeholder), end; match != end;
       ++match) {
    const std::string name = (*match)[2].str();
    CAPTURE(name);
    const auto dot = name.find('.');
    if (dot == std::string::npos) {
      CHECK(find_parameter(descriptor, name) != nullptr);
    } else {
      const TableSpec* table = find_table(descriptor, name.substr(0, dot));
      REQUIRE(table != nullptr);
      CHECK(has_column(*table, name.substr(dot + 1)));
    }
  }
}

void check_mark(const Descriptor& descriptor, const Mark& mark) {
  CAPTURE(mark.label);
  const TableSpec* table = find_table(descriptor, mark.table);
  REQUIRE(table != nullptr);
  CHECK(has_column(*table, mark.x));
  if (mark.kind == MarkKind::kBand) {
    CHECK_FALSE(mark.low.empty());
    CHECK_FALSE(mark.high.empty());
  } else {
    CHECK(has_column(*table, mark.y));
  }
  for (const auto& column : {mark.error, mark.low, mark.high, mark.value, mark.series}) {
    CAPTURE(column);
    CHECK((column.empty() || has_column(*table, column)));
  }
  CHECK(mark.value.empty() == (mark.kind != MarkKind::kHeatMap));
  // A line of theory says what it rests on and where it is from.
  if (mark.role == Role::kTheory || mark.role == Role::kBound) {
    CHECK(mark.standing != Standing::kNone);
    CHECK_FALSE(mark.source.empty());
  }
  check_condition(descriptor, mark.shown_when);
}

}  // namespace

TEST_CASE("experiments come by wing, order and id, each once") {
  const std::vector<std::string> wings = {"needle", "large-prompt", "mhla"};
  std::set<std::string> ids;
  std::ptrdiff_t last_wing = 0;
  CHECK_FALSE(all_experiments().empty());
  for (const auto& experiment : all_experiments()) {
    const auto& descriptor = experiment.descriptor();
    CAPTURE(descriptor.id);
    CHECK(ids.insert(descriptor.id).second);
    const auto wing = std::find(wings.begin(), wings.end(), descriptor.wing);
    REQUIRE(wing != wings.end());
    CHECK(wing - wings.begin() >= last_wing);
    last_wing = wing - wings.begin();
    CHECK((experiment.prepare != nullptr));
    CHECK(&find_experiment(descriptor.id) == &experiment);
    CHECK(descriptor.id == experiment.identity.id);
    CHECK(descriptor.wing == experiment.identity.wing);
    CHECK(descriptor.order == experiment.identity.order);
    CHECK(&experiment.descriptor() == &descriptor);
  }
}

TEST_CASE("an unknown id is refused with the nearest one") {
  const std::string id(all_experiments().front().identity.id);
  try {
    find_experiment(id + "x");
    FAIL("was not refused");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::kUnknownName);
    CHECK(error.parameter() == "experiment");
    CHECK(std::string(error.what()).find("\"" + id + "\"?") != std::string::npos);
  }
  CHECK_THROWS_AS(find_experiment(""), Error);
}

TEST_CASE("every experiment says what it is, what it takes and where it is from") {
  for (const auto& experiment : all_experiments()) {
    const auto& descriptor = experiment.descriptor();
    CAPTURE(descriptor.id);
    CHECK_FALSE(descriptor.title.empty());
    CHECK_FALSE(descriptor.summary.empty());
    CHECK_FALSE(descriptor.source.empty());
    CHECK_FALSE(descriptor.presets.empty());
    CHECK_FALSE(descriptor.tables.empty());
    CHECK_FALSE(descriptor.figures.empty());
    check_placeholders(descriptor, descriptor.answer);
  }
}

TEST_CASE("every parameter has a name, a label, a help and a default within its limits") {
  for (const auto& experiment : all_experiments()) {
    const auto& descriptor = experiment.descriptor();
    CAPTURE(descriptor.id);
    CHECK_NOTHROW(complete(descriptor, {}));
    std::set<std::string> names;
    for (const auto& parameter : descriptor.parameters) {
      CAPTURE(parameter.name);
      CHECK(is_lower_camel(parameter.name));
      CHECK(names.insert(parameter.name).second);
      CHECK_FALSE(parameter.label.empty());
      CHECK_FALSE(parameter.help.empty());
      CHECK(parameter.help.find('\n') == std::string::npos);
      CHECK((parameter.type == ParameterType::kChoice) == !parameter.choices.empty());
      CHECK(parameter.minimum <= parameter.maximum);
      // A slider in ratios cannot begin at 0.
      CHECK((!parameter.logarithmic || parameter.minimum > 0));
      check_condition(descriptor, parameter.shown_when);
    }
  }
}

TEST_CASE("every preset has its own name, a source, a note and values within the limits") {
  for (const auto& experiment : all_experiments()) {
    const auto& descriptor = experiment.descriptor();
    CAPTURE(descriptor.id);
    std::set<std::string> names;
    for (const auto& preset : descriptor.presets) {
      CAPTURE(preset.name);
      CHECK(names.insert(preset.name).second);
      CHECK_FALSE(preset.label.empty());
      CHECK_FALSE(preset.source.empty());
      CHECK_FALSE(preset.note.empty());
      CHECK_NOTHROW(preset_values(descriptor, preset.name));
    }
  }
}

TEST_CASE("every table's columns have names of their own") {
  for (const auto& experiment : all_experiments()) {
    const auto& descriptor = experiment.descriptor();
    CAPTURE(descriptor.id);
    std::set<std::string> tables;
    for (const auto& table : descriptor.tables) {
      CAPTURE(table.name);
      CHECK(is_lower_camel(table.name));
      CHECK(tables.insert(table.name).second);
      std::set<std::string> columns;
      CHECK_FALSE(table.columns.empty());
      for (const auto& column : table.columns) {
        CAPTURE(column.name);
        CHECK(is_lower_camel(column.name));
        CHECK(columns.insert(column.name).second);
        CHECK_FALSE(column.label.empty());
      }
    }
  }
}

TEST_CASE(
    "every figure draws columns that are there, and its theory names its standing and source") {
  for (const auto& experiment : all_experiments()) {
    const auto& descriptor = experiment.descriptor();
    CAPTURE(descriptor.id);
    std::set<std::string> names;
    for (const auto& figure : descriptor.figures) {
      CAPTURE(figure.name);
      CHECK(names.insert(figure.name).second);
      CHECK_FALSE(figure.marks.empty());
      CHECK_FALSE(figure.x.label.empty());
      CHECK_FALSE(figure.y.label.empty());
      check_placeholders(descriptor, figure.caption);
      check_condition(descriptor, figure.shown_when);
      CHECK(figure.handle.x.empty() == figure.handle.y.empty());
      for (const std::string& name : {figure.handle.x, figure.handle.y}) {
        const Parameter* parameter = find_parameter(descriptor, name);
        CHECK((name.empty() || (parameter && parameter->type == ParameterType::kNumber)));
      }
      for (const auto& mark : figure.marks)
        check_mark(descriptor, mark);
    }
  }
}

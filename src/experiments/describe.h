// Short ways to write the parts of a descriptor that most experiments have.
#pragma once

#include <string>
#include <utility>

#include "experiments/descriptor.h"

namespace attnlab::experiments {

inline Column number_of(std::string name, std::string symbol, std::string label) {
  return {std::move(name), std::move(symbol), "", std::move(label), ColumnType::kNumber};
}

inline Column text_of(std::string name, std::string label) {
  return {std::move(name), "", "", std::move(label), ColumnType::kText};
}

struct Limits {
  double minimum;
  double maximum;
  double step = 0;
  bool logarithmic = false;
};

inline Parameter parameter(ParameterType type, std::string name, std::string symbol, Value value,
                           Limits limits, std::string label, std::string help, std::string group) {
  Parameter p;
  p.name = std::move(name);
  p.symbol = std::move(symbol);
  p.type = type;
  p.default_value = std::move(value);
  p.minimum = limits.minimum;
  p.maximum = limits.maximum;
  p.step = limits.step;
  p.logarithmic = limits.logarithmic;
  p.label = std::move(label);
  p.help = std::move(help);
  p.group = std::move(group);
  return p;
}

inline Parameter choice(std::string name, std::vector<Choice> choices, std::string label,
                        std::string help, std::string group) {
  Parameter p = parameter(ParameterType::kChoice, std::move(name), "", choices.front().name, {0, 0},
                          std::move(label), std::move(help), std::move(group));
  p.choices = std::move(choices);
  return p;
}

// A line of theory; colour by series.
inline Mark theory_line(std::string table, std::string x, std::string y, std::string label,
                        Standing standing, std::string source, std::string series = "") {
  Mark mark;
  mark.kind = MarkKind::kLine;
  mark.role = Role::kTheory;
  mark.table = std::move(table);
  mark.x = std::move(x);
  mark.y = std::move(y);
  mark.label = std::move(label);
  mark.standing = standing;
  mark.source = std::move(source);
  mark.colour = series.empty() ? "" : "series";
  mark.series = std::move(series);
  return mark;
}

// Simulated dots with error bars; colour by series.
inline Mark simulated_dots(std::string table, std::string x, std::string y, std::string error,
                           std::string label, std::string series = "") {
  Mark mark;
  mark.kind = MarkKind::kDots;
  mark.role = Role::kSimulation;
  mark.table = std::move(table);
  mark.x = std::move(x);
  mark.y = std::move(y);
  mark.error = std::move(error);
  mark.label = std::move(label);
  mark.colour = series.empty() ? "" : "series";
  mark.series = std::move(series);
  return mark;
}

inline Mark with_role(Mark mark, Role role) {
  mark.role = role;
  return mark;
}

inline Mark with_kind(Mark mark, MarkKind kind) {
  mark.kind = kind;
  return mark;
}

inline Mark with_colour(Mark mark, std::string colour) {
  mark.colour = std::move(colour);
  return mark;
}

}  // namespace attnlab::experiments

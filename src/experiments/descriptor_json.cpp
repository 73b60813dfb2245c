#include "experiments/descriptor.h"
#include "experiments/json_writer.h"

namespace attnlab::experiments {
namespace {

std::string_view name_of(ParameterType type) {
  switch (type) {
    case ParameterType::kNumber:
      return "number";
    case ParameterType::kInteger:
      return "integer";
    case ParameterType::kBoolean:
      return "boolean";
    case ParameterType::kChoice:
      return "choice";
    case ParameterType::kNumbers:
      return "numbers";
    case ParameterType::kText:
      return "text";
    case ParameterType::kMatrix:
      return "matrix";
  }
  return "number";
}

std::string_view name_of(ColumnType type) {
  return type == ColumnType::kText ? "text" : "number";
}

std::string_view name_of(Role role) {
  switch (role) {
    case Role::kTheory:
      return "theory";
    case Role::kSimulation:
      return "simulation";
    case Role::kBound:
      return "bound";
    case Role::kReference:
      return "reference";
    case Role::kUndefined:
      return "undefined";
  }
  return "reference";
}

std::string_view name_of(MarkKind kind) {
  switch (kind) {
    case MarkKind::kLine:
      return "line";
    case MarkKind::kDots:
      return "dots";
    case MarkKind::kBand:
      return "band";
    case MarkKind::kBars:
      return "bars";
    case MarkKind::kHeatMap:
      return "heat-map";
    case MarkKind::kArrows:
      return "arrows";
  }
  return "line";
}

std::string_view name_of(Standing standing) {
  switch (standing) {
    case Standing::kNone:
      return "none";
    case Standing::kTheorem:
      return "theorem";
    case Standing::kDerived:
      return "derived";
    case Standing::kHeuristic:
      return "heuristic";
  }
  return "none";
}

void field(JsonWriter& json, std::string_view name, std::string_view text) {
  json.key(name);
  json.string(text);
}

void field(JsonWriter& json, std::string_view name, double value) {
  json.key(name);
  json.number(value);
}

void field(JsonWriter& json, std::string_view name, bool value) {
  json.key(name);
  json.boolean(value);
}

template <class Items, class Write>
void list(JsonWriter& json, std::string_view name, const Items& items, const Write& write_item) {
  json.key(name);
  json.begin_array();
  for (const auto& item : items)
    write_item(item);
  json.end_array();
}

void write(JsonWriter& json, const Condition& condition, std::string_view name = "shownWhen") {
  json.key(name);
  json.begin_object();
  field(json, "parameter", condition.parameter);
  list(json, "values", condition.values, [&](const std::string& value) { json.string(value); });
  json.end_object();
}

struct WriteValue {
  JsonWriter& json;
  void operator()(double value) const { json.number(value); }
  void operator()(bool value) const { json.boolean(value); }
  void operator()(const std::string& value) const { json.string(value); }
  void operator()(const std::vector<double>& value) const {
    json.begin_array();
    for (const double entry : value)
      json.number(entry);
    json.end_array();
  }
  void operator()(const Matrix& value) const {
    json.begin_object();
    field(json, "rows", static_cast<double>(value.rows()));
    field(json, "columns", static_cast<double>(value.cols()));
    json.key("data");
    (*this)(std::vector<double>(value.data(), value.data() + value.size()));
    json.end_object();
  }
};

void write(JsonWriter& json, const Parameter& parameter) {
  json.begin_object();
  field(json, "name", parameter.name);
  field(json, "symbol", parameter.symbol);
  field(json, "type", name_of(parameter.type));
  json.key("default");
  std::visit(WriteValue{json}, parameter.default_value);
  field(json, "minimum", parameter.minimum);
  field(json, "maximum", parameter.maximum);
  field(json, "step", parameter.step);
  field(json, "logarithmic", parameter.logarithmic);
  field(json, "unit", parameter.unit);
  field(json, "label", parameter.label);
  field(json, "help", parameter.help);
  list(json, "choices", parameter.choices, [&](const Choice& choice) {
    json.begin_object();
    field(json, "name", choice.name);
    field(json, "label", choice.label);
    json.end_object();
  });
  field(json, "minimumCount", static_cast<double>(parameter.minimum_count));
  field(json, "maximumCount", static_cast<double>(parameter.maximum_count));
  field(json, "group", parameter.group);
  field(json, "rare", parameter.rare);
  write(json, parameter.shown_when);
  json.end_object();
}

void write(JsonWriter& json, const Preset& preset) {
  json.begin_object();
  field(json, "name", preset.name);
  field(json, "label", preset.label);
  field(json, "source", preset.source);
  field(json, "note", preset.note);
  json.key("values");
  json.begin_object();
  for (const auto& entry : preset.values) {
    json.key(entry.first);
    std::visit(WriteValue{json}, entry.second);
  }
  json.end_object();
  json.end_object();
}

void write(JsonWriter& json, const TableSpec& table) {
  json.begin_object();
  field(json, "name", table.name);
  field(json, "label", table.label);
  list(json, "columns", table.columns, [&](const Column& column) {
    json.begin_object();
    field(json, "name", column.name);
    field(json, "symbol", column.symbol);
    field(json, "unit", column.unit);
    field(json, "label", column.label);
    field(json, "type", name_of(column.type));
    json.end_object();
  });
  json.end_object();
}

void write(JsonWriter& json, const Mark& mark) {
  json.begin_object();
  field(json, "kind", name_of(mark.kind));
  field(json, "role", name_of(mark.role));
  field(json, "table", mark.table);
  field(json, "x", mark.x);
  field(json, "y", mark.y);
  field(json, "error", mark.error);
  field(json, "low", mark.low);
  field(json, "high", mark.high);
  field(json, "value", mark.value);
  field(json, "series", mark.series);
  field(json, "label", mark.label);
  field(json, "colour", mark.colour);
  field(json, "standing", name_of(mark.standing));
  field(json, "source", mark.source);
  write(json, mark.shown_when);
  json.end_object();
}

void write(JsonWriter& json, std::string_view name, const Axis& axis) {
  json.key(name);
  json.begin_object();
  field(json, "label", axis.label);
  field(json, "symbol", axis.symbol);
  field(json, "unit", axis.unit);
  field(json, "logarithmic", axis.logarithmic);
  json.end_object();
}

void write(JsonWriter& json, const Figure& figure) {
  json.begin_object();
  field(json, "name", figure.name);
  field(json, "label", figure.label);
  field(json, "caption", figure.caption);
  write(json, "x", figure.x);
  write(json, "y", figure.y);
  list(json, "marks", figure.marks, [&](const Mark& mark) { write(json, mark); });
  write(json, figure.shown_when);
  json.key("handle");
  json.begin_object();
  field(json, "x", figure.handle.x);
  field(json, "y", figure.handle.y);
  json.end_object();
  json.end_object();
}

void write(JsonWriter& json, const ResourceNeed& need) {
  json.begin_object();
  field(json, "name", need.name);
  write(json, need.when, "when");
  json.end_object();
}

}  // namespace

std::string to_json(const Descriptor& descriptor) {
  JsonWriter json;
  json.begin_object();
  field(json, "id", descriptor.id);
  field(json, "wing", descriptor.wing);
  field(json, "order", static_cast<double>(descriptor.order));
  field(json, "title", descriptor.title);
  field(json, "summary", descriptor.summary);
  field(json, "answer", descriptor.answer);
  field(json, "source", descriptor.source);
  const auto write_item = [&](const auto& item) { write(json, item); };
  list(json, "parameters", descriptor.parameters, write_item);
  list(json, "presets", descriptor.presets, write_item);
  list(json, "tables", descriptor.tables, write_item);
  list(json, "figures", descriptor.figures, write_item);
  list(json, "resources", descriptor.resources, write_item);
  json.end_object();
  return json.text();
}

}  // namespace attnlab::experiments

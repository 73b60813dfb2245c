// What an experiment says of itself, once. The page's controls and charts, the link, validation,
// the command line, the TypeScript types, the docs and the embed's attributes are all made from
// this and from nothing else.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/types.h"

namespace attnlab::experiments {

// A value of a parameter. Whole numbers travel as double; `Parameter::type` says which is meant.
using Value = std::variant<double, bool, std::string, std::vector<double>, Matrix>;
using Values = std::map<std::string, Value>;

enum class ParameterType {
  kNumber,   // double
  kInteger,  // double, whole
  kBoolean,  // bool
  kChoice,   // std::string, one of `choices`
  kNumbers,  // std::vector<double>: a list, each entry within minimum ... maximum
  kText,     // std::string, free; at most `maximum` bytes
  kMatrix    // Matrix: the reader's own data, rows are tokens; may be 0 x 0 (not given)
};

struct Choice {
  std::string name;   // in links, files and code
  std::string label;  // on the page
};

// A parameter that matters only while another one has one of these values.
struct Condition {
  std::string parameter;  // empty: always
  std::vector<std::string> values;
};

struct Parameter {
  std::string name;    // lowerCamel, spelled out: "tokenCount"
  std::string symbol;  // as the paper writes it: "n"; may be empty
  ParameterType type = ParameterType::kNumber;
  Value default_value = 0.0;
  double minimum = 0;  // for numbers, and for each entry of a list
  double maximum = 0;
  double step = 0;           // of the slider; 0: free
  bool logarithmic = false;  // the slider moves in ratios
  std::string unit;          // empty: a pure number
  std::string label;         // what the control is called: "Number of tokens"
  std::string help;          // one line
  std::vector<Choice> choices;
  Index minimum_count = 1;  // of entries, for lists
  Index maximum_count = 16;
  std::string group;  // controls of one group stand together
  bool rare = false;  // folded under "more"
  Condition shown_when;
};

struct Preset {
  std::string name;    // "figure-2"
  std::string label;   // "Figure 2"
  std::string source;  // the figure, theorem or equation it belongs to
  std::string note;    // one sentence: what it shows
  Values values;       // only what differs from the defaults
};

enum class ColumnType { kNumber, kText };

struct Column {
  std::string name;    // lowerCamel
  std::string symbol;  // may be empty
  std::string unit;
  std::string label;
  ColumnType type = ColumnType::kNumber;
};

struct TableSpec {
  std::string name;
  std::string label;
  std::vector<Column> columns;
};

// Theory is a line; simulation is dots with error bars; a bound is dashed; what is undefined is
// hatched. Never a simulation drawn as theory.
enum class Role { kTheory, kSimulation, kBound, kReference, kUndefined };
enum class MarkKind { kLine, kDots, kBand, kBars, kHeatMap, kArrows };
// What a line of theory rests on.
enum class Standing { kNone, kTheorem, kDerived, kHeuristic };

struct Mark {
  MarkKind kind = MarkKind::kLine;
  Role role = Role::kSimulation;
  std::string table;  // the rows it draws
  std::string x;      // column names of that table
  std::string y;      // for a heat map: the other axis
  std::string error;  // column with one standard error of y; empty: none
  std::string low;    // columns of a band; for arrows: the end point's x and y
  std::string high;
  std::string value;   // column of a heat map's colour
  std::string series;  // column that splits the rows into curves; empty: one curve
  std::string label;   // in the legend; may hold {series}
  // Colour by meaning: "softmax", "linear", "bayes", "erf", "softplus", "relu", "series" (one hue
  // a series), or empty for the accent.
  std::string colour;
  Standing standing = Standing::kNone;
  std::string source;  // "arXiv 2512.11784, Lemma 2.1"; "derived, see How it is computed"
  Condition shown_when;
};

struct Axis {
  std::string label;
  std::string symbol;
  std::string unit;
  bool logarithmic = false;
};

// A point of a figure that the reader may drag: the parameters that are its coordinates.
struct Handle {
  std::string x;
  std::string y;
};

struct Figure {
  std::string name;
  std::string label;
  std::string caption;  // may hold {parameterName}, {table.column} (its first row)
  Axis x;
  Axis y;
  std::vector<Mark> marks;
  Condition shown_when;
  Handle handle;  // empty: none
};

// A file that ships beside the program and must be handed in before a run
// (experiments/resources.h), unless `when` says that these values do without it.
struct ResourceNeed {
  std::string name;  // "glove-4000"
  Condition when;
};

// What an experiment is found by and where it stands: known without its descriptor.
struct Identity {
  std::string_view id;    // "large-prompt.output"
  std::string_view wing;  // "large-prompt", "needle", "mhla"
  int order = 0;          // within the wing
};

struct Descriptor {
  Descriptor() = default;
  explicit Descriptor(const Identity& identity)
      : id(identity.id), wing(identity.wing), order(identity.order) {}

  std::string id;
  std::string wing;
  int order = 0;
  std::string title;    // a question
  std::string summary;  // one sentence: what it shows
  // One sentence with the run's numbers: may hold {summary.slope}, {d}. What stands in [brackets]
  // is left out where one of its numbers is not defined.
  std::string answer;
  std::string source;  // paper, section
  std::vector<Parameter> parameters;
  std::vector<Preset> presets;  // the first one is how the experiment opens
  std::vector<TableSpec> tables;
  std::vector<Figure> figures;  // the first one is the large one
  std::vector<ResourceNeed> resources;
};

// The descriptor as JSON: what every other part of the laboratory reads.
std::string to_json(const Descriptor& descriptor);

}  // namespace attnlab::experiments

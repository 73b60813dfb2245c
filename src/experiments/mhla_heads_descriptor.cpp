#include "experiments/describe.h"
#include "experiments/mhla_heads.h"

namespace attnlab::experiments {
namespace {

std::vector<Parameter> make_parameters() {
  std::vector<Parameter> parameters;
  parameters.push_back(parameter(ParameterType::kInteger, "dimension", "d", 3.0, {2, 4, 1},
                                 "Token dimension", "Targets have as many coordinates.", "truth"));
  parameters.push_back(choice("truth",
                              {{"general", "a general cubic function"}, {"heads", "some heads"}},
                              "Target", "General: every coefficient drawn at random.", "truth"));
  Parameter true_heads =
      parameter(ParameterType::kInteger, "trueHeads", "H*", 1.0, {1, 16, 1}, "Heads of the target",
                "Heads of the network that labels the data.", "truth");
  true_heads.shown_when = {"truth", {"heads"}};
  parameters.push_back(true_heads);
  parameters.push_back(parameter(ParameterType::kInteger, "samples", "N", 400.0,
                                 {4, 20000, 0, true}, "Samples", "Prompts of Gaussian tokens.",
                                 "data"));
  parameters.push_back(parameter(ParameterType::kInteger, "length", "n", 6.0, {1, 64, 1},
                                 "Tokens of a prompt",
                                 "Independent Gaussian tokens; the last one asks.", "data"));
  parameters.push_back(parameter(ParameterType::kInteger, "head", "h", 1.0, {1, 16, 1},
                                 "Head shown", "By falling singular value.", "picture"));
  parameters.push_back(parameter(ParameterType::kInteger, "starts", "", 3.0, {1, 20, 1},
                                 "Random starts", "Of the search for fewer heads.", "search"));
  Parameter steps = parameter(ParameterType::kInteger, "steps", "", 4000.0, {10, 100000, 0, true},
                              "Steps of gradient descent", "For each cell of the map.", "search");
  parameters.push_back(steps);
  Parameter map_rows = parameter(ParameterType::kInteger, "dataSets", "", 5.0, {1, 8, 1},
                                 "Data sets in the map", "From few samples to enough.", "search");
  map_rows.rare = true;
  parameters.push_back(map_rows);
  return parameters;
}

std::vector<Preset> make_presets() {
  return {{"general",
           "A general function",
           "arXiv 2410.10101, Algorithm 1 and Corollary A.4; head count derived",
           "W has d² singular values, but its gauge freedom leaves a W of lower rank: at d = 3 "
           "four heads are enough for any function, and three are not.",
           {}},
          {"one-head",
           "One head",
           "arXiv 2410.10101, Algorithm 1",
           "A target of one head comes back as many heads from the solver; the search finds the "
           "one.",
           {{"truth", std::string("heads")}}},
          {"four-dimensions",
           "d = 4",
           "arXiv 2410.10101, Algorithm 1 and Corollary A.4; head count derived",
           "Seven heads of sixteen are enough.",
           {{"dimension", 4.0}, {"starts", 2.0}, {"steps", 1500.0}, {"dataSets", 3.0}}}};
}

std::vector<TableSpec> make_tables() {
  const Column heads = number_of("heads", "r", "heads");
  return {{"values",
           "Singular values of W",
           {number_of("number", "", "number"), text_of("gauge", "gauge"),
            number_of("value", "s", "singular value")}},
          {"kept",
           "Error against heads",
           {heads, text_of("way", "way"),
            number_of("error", "", "relative error of the outputs, on the data")}},
          {"picture",
           "One head of the solver",
           {text_of("matrix", "matrix"), number_of("row", "", "row"),
            number_of("column", "", "column"), number_of("value", "", "entry")}},
          {"map",
           "Where gradient descent ends",
           {heads, number_of("rank", "", "rank of the data"), number_of("samples", "N", "samples"),
            number_of("excess", "", "log₁₀ of the loss left over, relative to the targets")}},
          {"summary",
           "In short",
           {number_of("solverHeads", "", "heads of the solver"),
            number_of("generalHeads", "", "heads that any function needs"),
            number_of("leastHeads", "", "fewest heads found for this function"),
            number_of("rank", "", "rank of the data"), number_of("dimension", "ψ", "features"),
            number_of("shownValue", "", "singular value of the head shown")}}};
}

Figure kept_figure() {
  Figure figure;
  figure.name = "kept";
  figure.label = "Error against heads kept";
  figure.caption =
      "Relative error of the outputs with r heads, d = {dimension}. Truncated: the r largest "
      "singular values of W, in the symmetric gauge (the solver's) and with each pair's weight on "
      "one side. Searched: Levenberg–Marquardt over all W of the same function, best of {starts} "
      "starts. Counting parameters, r (2d² − r) ≥ d³(d + 1)/2 is needed for a general function: "
      "r = {summary.generalHeads}.";
  figure.x = {"heads", "r", "", false};
  figure.y = {"relative error", "", "", true};
  figure.marks = {simulated_dots("kept", "heads", "error", "", "{series}", "way")};
  return figure;
}

Figure values_figure() {
  Figure figure;
  figure.name = "values";
  figure.label = "Singular values of W";
  figure.caption = "Of the same function in two gauges. Each is a head after the split.";
  figure.x = {"number", "", "", false};
  figure.y = {"singular value", "s", "", true};
  figure.marks = {simulated_dots("values", "number", "value", "", "{series} gauge", "gauge")};
  return figure;
}

Figure map_figure() {
  Figure figure;
  figure.name = "map";
  figure.label = "Where gradient descent ends: an open question";
  figure.caption =
      "Log₁₀ of the loss above least squares after {steps} steps of full-batch Adam, relative to "
      "the targets, from one random start, for each number of heads and rank of the data. For "
      "numbers of heads far below d² no theorem says where it gets to the least-squares answer "
      "and where it stalls.";
  figure.x = {"heads", "H", "", false};
  figure.y = {"rank of the data", "", "", false};
  Mark map;
  map.kind = MarkKind::kHeatMap;
  map.role = Role::kSimulation;
  map.table = "map";
  map.x = "heads";
  map.y = "rank";
  map.value = "excess";
  map.label = "log₁₀ excess loss";
  figure.marks = {map};
  return figure;
}

Figure picture_figure() {
  Figure figure;
  figure.name = "picture";
  figure.label = "Head {head}";
  figure.caption =
      "Left V, right Q of head {head} of the solver's answer (columns are shifted by d + 1 for Q); "
      "its singular value is {summary.shownValue}.";
  figure.x = {"column", "", "", false};
  figure.y = {"row", "", "", false};
  Mark map;
  map.kind = MarkKind::kHeatMap;
  map.role = Role::kSimulation;
  map.table = "picture";
  map.x = "column";
  map.y = "row";
  map.value = "value";
  map.label = "entry";
  figure.marks = {map};
  return figure;
}

Descriptor make_descriptor() {
  Descriptor d(kMhlaHeads);
  d.title = "How many heads does a function need?";
  d.summary =
      "How many heads the solver takes from the singular values of W, how many fewer the freedom "
      "in W allows, and where gradient descent with few heads ends.";
  d.answer =
      "The solver returns {summary.solverHeads} heads; {summary.leastHeads} are enough for this "
      "function, and {summary.generalHeads} for any.";
  d.source = "arXiv 2410.10101, Algorithm 1, Corollary A.4";
  d.parameters = make_parameters();
  d.presets = make_presets();
  d.tables = make_tables();
  d.figures = {kept_figure(), values_figure(), map_figure(), picture_figure()};
  return d;
}

}  // namespace

const Descriptor& mhla_heads_descriptor() {
  static const Descriptor descriptor = make_descriptor();
  return descriptor;
}

}  // namespace attnlab::experiments

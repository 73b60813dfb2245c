#include "experiments/describe.h"
#include "experiments/mhla_memory.h"

namespace attnlab::experiments {
namespace {

std::vector<Parameter> make_parameters() {
  Parameter zeta = parameter(ParameterType::kBoolean, "queryValue", "ζ", false, {0, 0},
                             "Something in the query token",
                             "The value part of the query token: ζ ~ N(0, I) or 0. It comes back "
                             "times |q|².",
                             "ask");
  Parameter beta = parameter(ParameterType::kNumber, "inverseTemperature", "β", 8.0,
                             {0.5, 64, 0.5, true}, "Sharpness of the softmax",
                             "Softmax attention over the stored pairs, for comparison.", "ask");
  Parameter blocks = parameter(ParameterType::kInteger, "prompts", "R", 400.0, {20, 10000, 0, true},
                               "Prompts of each size", "For the crosstalk.", "simulation");
  blocks.rare = true;
  return {
      parameter(ParameterType::kInteger, "keyDimension", "d", 4.0, {2, 5, 1},
                "Coordinates of a key", "Values have as many; tokens twice as many.", "memory"),
      parameter(ParameterType::kInteger, "pairs", "m", 4.0, {1, 64, 0, true}, "Pairs written",
                "Orthogonal keys: at most d.", "memory"),
      choice("keys",
             {{"orthogonal", "orthogonal"},
              {"unit", "random, length 1"},
              {"gaussian", "random, N(0, I / d)"}},
             "Keys", "Of the prompt that is asked.", "memory"),
      parameter(ParameterType::kInteger, "asked", "i", 1.0, {1, 64, 1}, "Pair asked for",
                "Counted from 1.", "ask"),
      parameter(
          ParameterType::kNumber, "keyNoise", "", 0.0, {0, 2, 0.05}, "Noise on the query",
          "Standard deviation of a coordinate times √d: at 1 the noise is as long as the key.",
          "ask"),
      zeta,
      beta,
      parameter(ParameterType::kInteger, "samples", "N", 1024.0, {64, 16384, 0, true},
                "Prompts to learn from",
                "As in the paper: d pairs, orthogonal keys and values, ζ ~ N(0, I).", "learning"),
      parameter(ParameterType::kNumber, "gaussianShare", "", 0.0, {0, 1, 0.01},
                "Share of Gaussian prompts", "Of those to learn from.", "learning"),
      parameter(ParameterType::kNumber, "nullSize", "", 4.0, {0, 20, 0.5}, "Null vector added",
                "Length of a random vector that no training prompt can see, added to the learned "
                "coefficients; the true ones have length d.",
                "learning"),
      blocks};
}

std::vector<Preset> make_presets() {
  return {
      {"orthogonal",
       "Orthogonal keys",
       "arXiv 2410.10101, section 4.2",
       "Exact retrieval, by the true head and by every model that fits: the prompt asked is of the "
       "kind that was learned.",
       {}},
      {"off-data",
       "Asked off the data",
       "arXiv 2410.10101, section 4.2 and Lemma 2.3",
       "Learned from orthogonal keys, asked with random ones: the model of least norm happens to "
       "be right, another one that fits as well is not.",
       {{"keys", std::string("gaussian")}}},
      {"determined",
       "Data that determine",
       "arXiv 2410.10101, section 4.2 and Lemma 2.3",
       "Five per cent of Gaussian prompts, and no null vector is left: every model that fits is "
       "right everywhere.",
       {{"keys", std::string("gaussian")}, {"gaussianShare", 0.05}, {"samples", 8192.0}}},
      {"crowded",
       "More pairs than coordinates",
       "derived, (m − 1) / d a coordinate",
       "Sixteen random keys in four dimensions talk into each other; softmax attention picks one.",
       {{"keys", std::string("unit")}, {"pairs", 16.0}, {"inverseTemperature", 16.0}}},
      {"query-value",
       "Something in the query token",
       "arXiv 2410.10101, equation (14), with the self term that it leaves out",
       "The query token reads itself: what stands in its value part comes back times |q|².",
       {{"queryValue", true}}}};
}

std::vector<TableSpec> make_tables() {
  return {
      {"summary",
       "The prompt asked, and the data learned from",
       {number_of("asked", "i", "pair asked for"),
        number_of("linearError", "", "|retrieved − written|, the true head"),
        number_of("learnedError", "", "|learned − true output|, least norm"),
        number_of("otherError", "", "|learned − true output|, with the null vector"),
        number_of("softmaxError", "", "|retrieved − written|, softmax attention"),
        number_of("determined", "", "1 if every model that fits agrees on this prompt"),
        number_of("residual", "", "distance of its features from the data's range, relative"),
        number_of("rank", "", "rank of Λ"), number_of("features", "ψ", "features"),
        number_of("minimumEigenvalue", "λ_{min}", "smallest eigenvalue of Λ"),
        number_of("trainingError", "", "training error / variance, least norm"),
        number_of("otherTrainingError", "", "training error / variance, with the null vector")}},
      {"weights",
       "What the query takes from each token",
       {text_of("model", "model"), number_of("pair", "j", "stored pair; m + 1 the query token"),
        number_of("weight", "", "coefficient of its value in the output")}},
      {"values",
       "Retrieved against written",
       {text_of("model", "model"), number_of("coordinate", "", "coordinate of the value"),
        number_of("written", "", "as written"), number_of("retrieved", "", "as retrieved")}},
      {"diagonal",
       "Retrieved as written",
       {number_of("written", "", "as written"), number_of("retrieved", "", "as retrieved")}},
      {"crosstalk",
       "Error against pairs",
       {number_of("pairs", "m", "pairs"), number_of("linear", "", "RMS error, linear attention"),
        number_of("linearError", "", "one standard error of it"),
        number_of("softmax", "", "RMS error, softmax attention"),
        number_of("softmaxError", "", "one standard error of it"),
        number_of("theory", "", "derived, linear attention"),
        number_of("prompts", "R", "prompts")}}};
}

std::vector<Figure> make_figures() {
  Figure weights;
  weights.name = "weights";
  weights.label = "What the query takes from each pair";
  weights.caption =
      "Pair {asked} is asked for; the last bar is the query token itself, 0 while its value part "
      "is. Linear attention weighs "
      "by inner products of keys, which need be neither positive nor of sum 1. For the learned "
      "models the weight is the part of a token's share of the output that lies along its value.";
  weights.x = {"stored pair", "j", "", false};
  weights.y = {"weight", "", "", false};
  Mark bars = simulated_dots("weights", "pair", "weight", "", "{series}", "model");
  weights.marks = {with_kind(bars, MarkKind::kBars)};

  Figure values;
  values.name = "values";
  values.label = "Retrieved value against written one";
  values.caption =
      "One dot a coordinate of the value of pair {asked}; on the line it came back as written. "
      "Every model that fits agrees on this prompt: {summary.determined} (1 yes, 0 no).";
  values.x = {"as written", "", "", false};
  values.y = {"as retrieved", "", "", false};
  Mark line = theory_line("diagonal", "written", "retrieved", "as written", Standing::kNone, "");
  values.marks = {with_role(line, Role::kReference),
                  simulated_dots("values", "written", "retrieved", "", "{series}", "model")};

  Figure crosstalk;
  crosstalk.name = "crosstalk";
  crosstalk.label = "How many pairs the memory holds";
  crosstalk.caption =
      "Root mean square error of a coordinate of the value, with one standard error; values are "
      "N(0, 1), keys as chosen, d = {keyDimension}, nothing in the query token and no noise. "
      "Without a memory the error would be 1.";
  crosstalk.x = {"pairs", "m", "", true};
  crosstalk.y = {"RMS error of a coordinate", "", "", false};
  crosstalk.marks = {
      with_colour(theory_line("crosstalk", "pairs", "theory", "√((m − 1) / d), or its like",
                              Standing::kDerived,
                              "derived: (m − 1) / d for keys of length 1, (m + 1) / d for N(0, I / "
                              "d), 0 for orthogonal ones"),
                  "linear"),
      with_colour(simulated_dots("crosstalk", "pairs", "linear", "linearError", "linear attention"),
                  "linear"),
      with_colour(
          simulated_dots("crosstalk", "pairs", "softmax", "softmaxError", "softmax attention"),
          "softmax")};
  return {weights, values, crosstalk};
}

Descriptor make_descriptor() {
  Descriptor result(kMhlaMemory);
  result.title = "What does linear attention remember?";
  result.summary =
      "Pairs of keys and values are written into a prompt and one key is asked for: what the true "
      "head, models learned from examples, and softmax attention retrieve.";
  result.answer =
      "The true head is {summary.linearError} from the value written. The learned model of least "
      "norm is {summary.learnedError} from the true head, another that fits the data as well is "
      "{summary.otherError} from it; the data determine {summary.rank} of {summary.features} "
      "features.";
  result.source = "arXiv 2410.10101, section 4.2";
  result.parameters = make_parameters();
  result.presets = make_presets();
  result.tables = make_tables();
  result.figures = make_figures();
  return result;
}

}  // namespace

const Descriptor& mhla_memory_descriptor() {
  static const Descriptor descriptor = make_descriptor();
  return descriptor;
}

}  // namespace attnlab::experiments

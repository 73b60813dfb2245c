#include "experiments/describe.h"
#include "experiments/needle_training.h"

namespace attnlab::experiments {
namespace {

constexpr const char* kPaper = "arXiv 2410.01537, Sections 3 and 4";

std::vector<Parameter> make_parameters() {
  Parameter start_key = parameter(ParameterType::kNumber, "startKey", "κ₀", 0.2, {-1, 1, 0.01},
                                  "Start, key", "k·k* at the start.", "start");
  Parameter start_value = parameter(ParameterType::kNumber, "startValue", "ν₀", 0.2, {-1, 1, 0.01},
                                    "Start, value", "v·v* at the start.", "start");
  start_key.shown_when = start_value.shown_when = {"start", {"manifold"}};
  Parameter batch = parameter(ParameterType::kInteger, "batch", "", 10.0, {1, 200, 1, true},
                              "Prompts a step", "For stochastic descent.", "simulation");
  Parameter replicates = parameter(ParameterType::kInteger, "replicates", "", 4.0, {1, 60, 1},
                                   "Stochastic runs", "Each on prompts of its own.", "simulation");
  Parameter noise =
      parameter(ParameterType::kNumber, "noise", "ε", 0.1, {0, 4, 0.05}, "Label noise",
                "Standard deviation of what is added to the labels.", "simulation");
  for (Parameter* p : {&batch, &replicates, &noise})
    p->shown_when = {"stochastic", {"true"}};
  return {
      parameter(ParameterType::kInteger, "dimension", "d", 80.0, {4, 1000, 1, true}, "Dimension",
                "Of tokens; the needle stands out by √(d/2).", "model"),
      parameter(ParameterType::kInteger, "length", "L", 10.0, {1, 100, 1, true},
                "Tokens in a prompt", "One of them is the needle.", "model"),
      parameter(ParameterType::kNumber, "tokenNoise", "γ²", 0.5, {0.01, 10, 0.01},
                "Variance of the needle's token", "The other tokens have variance 1.", "model"),
      parameter(ParameterType::kNumber, "lambda", "λ", 0.1, {0.01, 4, 0.01},
                "Inverse temperature λ",
                "Attention weights are erf(λ X k); the first value "
                "where it is scheduled.",
                "learning"),
      parameter(ParameterType::kNumber, "decay", "", 0.0, {0, 0.01, 0.00001}, "Decay of λ a step",
                "λ = λ₀/(1 + decay · step).", "learning"),
      parameter(ParameterType::kNumber, "rate", "a", 0.004, {0.00001, 0.1, 0, true},
                "Learning rate", "Of every descent.", "learning"),
      parameter(ParameterType::kInteger, "steps", "t", 5000.0, {10, 200000, 10, true}, "Steps",
                "Of every descent.", "learning"),
      choice("start", {{"manifold", "on the manifold"}, {"sphere", "anywhere on the sphere"}},
             "Start", "On the manifold v·k* = k·v* = k·v = 0, or uniform unit vectors.", "start"),
      start_key,
      start_value,
      parameter(ParameterType::kBoolean, "stochastic", "", true, {0, 0}, "Stochastic descent",
                "On drawn prompts, beside the exact gradient.", "simulation"),
      batch,
      replicates,
      noise};
}

std::vector<Preset> make_presets() {
  return {
      {"flow",
       "Flow and descent",
       kPaper,
       "First the value and then the key turn to the hidden ones; prompts drawn at random follow.",
       {}},
      {"manifold-start",
       "The paper's start on the manifold",
       "arXiv 2410.01537, experiments: d = 400, L = 10, γ² = 1/2, λ = 0.1",
       "Descent with the exact gradient over 20,000 steps.",
       {{"dimension", 400.0},
        {"lambda", 0.1},
        {"rate", 0.004},
        {"steps", 20000.0},
        {"startKey", 0.05},
        {"startValue", 0.05},
        {"stochastic", false}}},
      {"sphere-start",
       "The paper's start on the sphere",
       "arXiv 2410.01537, experiments: d = 400, uniform start",
       "Off the manifold at first; the distance to it shrinks while the overlaps grow.",
       {{"dimension", 400.0},
        {"lambda", 0.1},
        {"rate", 0.004},
        {"steps", 20000.0},
        {"start", std::string("sphere")},
        {"stochastic", false}}},
      {"schedule",
       "A schedule for λ",
       "arXiv 2410.01537, experiments: λ = 1/(1 + 10⁻⁴ t)",
       "A λ that begins large and falls.",
       {{"dimension", 400.0},
        {"lambda", 1.0},
        {"decay", 0.0001},
        {"rate", 0.004},
        {"steps", 120000.0},
        {"start", std::string("sphere")},
        {"stochastic", false}}},
      {"stochastic",
       "Stochastic descent, scheduled",
       "arXiv 2410.01537, experiments: d = 80, batch 5, λ₀ = 2",
       "Fresh prompts at every step; a tenth of the paper's 200,000 steps.",
       {{"dimension", 80.0},
        {"lambda", 2.0},
        {"decay", 0.0001},
        {"rate", 0.001},
        {"batch", 5.0},
        {"steps", 20000.0},
        {"start", std::string("sphere")}}}};
}

std::vector<TableSpec> make_tables() {
  return {
      {"path",
       "Descent and flow",
       {number_of("step", "t", "step"), number_of("key", "κ", "k·k*, descent"),
        number_of("value", "ν", "v·v*, descent"), number_of("risk", "", "excess risk, descent"),
        number_of("distance", "", "distance to the manifold"),
        number_of("flowKey", "κ", "k·k*, flow"), number_of("flowValue", "ν", "v·v*, flow"),
        number_of("flowRisk", "", "excess risk, flow")}},
      {"paths",
       "Further starts",
       {text_of("start", "start"), number_of("step", "t", "step"), number_of("key", "κ", "k·k*"),
        number_of("value", "ν", "v·v*"), number_of("risk", "", "excess risk"),
        number_of("distance", "", "distance to the manifold")}},
      {"stochastic",
       "Stochastic descent",
       {number_of("step", "t", "step"), number_of("key", "κ", "k·k*, mean"),
        number_of("keyError", "", "one standard error of it"),
        number_of("value", "ν", "v·v*, mean"),
        number_of("valueError", "", "one standard error of it"),
        number_of("risk", "", "excess risk, mean"),
        number_of("riskError", "", "one standard error of it"),
        number_of("distance", "", "distance to the manifold, mean"),
        number_of("distanceError", "", "one standard error of it")}},
      {"field",
       "The flow",
       {number_of("key", "κ", "k·k*"), number_of("value", "ν", "v·v*"),
        number_of("keyTo", "κ", "end of the arrow"), number_of("valueTo", "ν", "end of the arrow"),
        number_of("speed", "", "speed")}},
      {"summary",
       "At the last step",
       {number_of("step", "t", "step"), number_of("key", "κ", "k·k*"),
        number_of("value", "ν", "v·v*"), number_of("risk", "", "excess risk"),
        number_of("linearRegression", "", "risk of linear regression"),
        number_of("bestLambda", "λ", "best λ for aligned vectors"),
        number_of("lambda", "λ", "λ at the last step")}}};
}

Figure overlaps_figure() {
  Figure figure;
  figure.name = "overlaps";
  figure.label = "What has been learned";
  figure.caption =
      "Overlaps with the hidden key and value. Lines: projected gradient descent with the exact "
      "gradient, exact in d = {dimension}; thin: the gradient flow on the manifold. Dots: "
      "stochastic "
      "descent on prompts, with one standard error. From the sphere the dots are absolute values.";
  figure.x = {"step", "t", "", true};
  figure.y = {"overlap", "", "", false};
  figure.marks = {
      with_colour(theory_line("path", "step", "key", "key", Standing::kDerived,
                              "arXiv 2410.01537: closed form of the risk; step in overlaps"),
                  "softmax"),
      with_colour(theory_line("path", "step", "value", "value", Standing::kDerived,
                              "arXiv 2410.01537: closed form of the risk; step in overlaps"),
                  "linear"),
      with_colour(with_role(theory_line("path", "step", "flowKey", "key, flow", Standing::kDerived,
                                        "κ' = −(1 − κ²) ∂R/∂κ"),
                            Role::kReference),
                  "softmax"),
      with_colour(with_role(theory_line("path", "step", "flowValue", "value, flow",
                                        Standing::kDerived, "ν' = −(1 − ν²) ∂R/∂ν"),
                            Role::kReference),
                  "linear"),
      with_colour(simulated_dots("stochastic", "step", "key", "keyError", "key, on prompts"),
                  "softmax"),
      with_colour(simulated_dots("stochastic", "step", "value", "valueError", "value, on prompts"),
                  "linear")};
  return figure;
}

Figure plane_figure() {
  Figure figure;
  figure.name = "plane";
  figure.label = "The plane of overlaps";
  figure.caption =
      "Arrows: direction of the gradient flow on the manifold at the first λ. Lines: descent from "
      "several starts. On the manifold all of them end at (1, 1) or, the same predictor, at (−1, "
      "−1).";
  figure.x = {"k·k*", "κ", "", false};
  figure.y = {"v·v*", "ν", "", false};
  Mark arrows;
  arrows.kind = MarkKind::kArrows;
  arrows.role = Role::kReference;
  arrows.table = "field";
  arrows.x = "key";
  arrows.y = "value";
  arrows.low = "keyTo";
  arrows.high = "valueTo";
  arrows.label = "flow";
  figure.marks = {arrows,
                  theory_line("paths", "key", "value", "{series}", Standing::kDerived,
                              "projected gradient descent, exact in overlaps", "start"),
                  with_colour(theory_line("path", "key", "value", "your start", Standing::kDerived,
                                          "projected gradient descent, exact in overlaps"),
                              "bayes"),
                  simulated_dots("stochastic", "key", "value", "", "on prompts")};
  return figure;
}

Figure risk_figure() {
  Figure figure;
  figure.name = "risk";
  figure.label = "Excess risk";
  figure.caption =
      "At the last step {summary.risk}. Linear regression stays at {summary.linearRegression}. The "
      "aligned predictor is best at λ = {summary.bestLambda}.";
  figure.x = {"step", "t", "", true};
  figure.y = {"excess risk", "", "", true};
  figure.marks = {theory_line("path", "step", "risk", "descent", Standing::kDerived,
                              "arXiv 2410.01537: closed form of the risk"),
                  with_role(theory_line("path", "step", "flowRisk", "flow", Standing::kDerived,
                                        "arXiv 2410.01537: closed form of the risk"),
                            Role::kReference),
                  simulated_dots("stochastic", "step", "risk", "riskError", "on prompts")};
  return figure;
}

Figure distance_figure() {
  Figure figure;
  figure.name = "distance";
  figure.label = "Distance to the manifold";
  figure.caption =
      "√(θ² + η² + ρ²) with θ = v·k*, η = k·v*, ρ = k·v. Off the manifold there is a second kind "
      "of minimum, near k = ±v*, "
      "v = ±k*, with the two roles exchanged; at small d many starts from the sphere end there.";
  figure.x = {"step", "t", "", true};
  figure.y = {"distance", "", "", false};
  figure.marks = {theory_line("path", "step", "distance", "descent", Standing::kDerived,
                              "projected gradient descent, exact in overlaps"),
                  simulated_dots("stochastic", "step", "distance", "distanceError", "on prompts")};
  return figure;
}

}  // namespace

const Descriptor& needle_training_descriptor() {
  static const Descriptor kDescriptor = [] {
    Descriptor d(kNeedleTraining);
    d.title = "How does attention learn where to look?";
    d.summary =
        "How gradient descent finds where to look and what to read, in two overlaps: the exact "
        "flow, its descent steps, and training on prompts.";
    d.answer =
        "After {summary.step} steps the key has overlap {summary.key} and the value "
        "{summary.value} "
        "with the hidden ones; the excess risk is {summary.risk}, that of linear regression "
        "{summary.linearRegression}.";
    d.source = "arXiv 2410.01537";
    d.parameters = make_parameters();
    d.presets = make_presets();
    d.tables = make_tables();
    d.figures = {overlaps_figure(), plane_figure(), risk_figure(), distance_figure()};
    return d;
  }();
  return kDescriptor;
}

}  // namespace attnlab::experiments

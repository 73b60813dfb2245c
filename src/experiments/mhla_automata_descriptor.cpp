#include "experiments/describe.h"
#include "experiments/mhla_automata.h"
#include "experiments/trace_study.h"

namespace attnlab::experiments {
namespace {

std::vector<Parameter> make_parameters() {
  Parameter traces =
      parameter(ParameterType::kNumbers, "traces", "N", std::vector<double>{4, 8, 16, 32, 64, 96},
                {1, 2048, 1, true}, "Traces to learn from",
                "A trace is one automaton reading one word, step by step.", "learning");
  traces.maximum_count = 12;
  Parameter executed = parameter(ParameterType::kInteger, "executed", "", 300.0, {1, 2000, 1, true},
                                 "Automata executed",
                                 "Random automata run by the fixed weights, and as many compiled "
                                 "into weights of their own.",
                                 "simulation");
  executed.rare = true;
  return {parameter(ParameterType::kInteger, "states", "|Q|", 2.0, {1, 4, 1}, "States",
                    "Of the automaton.", "automaton"),
          parameter(ParameterType::kInteger, "letters", "|Σ|", 2.0, {1, 4, 1}, "Letters",
                    "Of its alphabet.", "automaton"),
          parameter(ParameterType::kInteger, "length", "T", 2.0, {1, 6, 1}, "Letters in a word",
                    "Two steps of attention read one letter.", "automaton"),
          traces,
          parameter(ParameterType::kInteger, "asked", "", 64.0, {1, 400, 1, true},
                    "Unseen inputs asked",
                    "Drawn without those learned from; at most what the class leaves over.",
                    "simulation"),
          parameter(ParameterType::kInteger, "example", "", 1.0, {1, 400, 1}, "Input shown",
                    "Which of the unseen inputs the last figure follows.", "simulation"),
          parameter(ParameterType::kInteger, "replicates", "R", 16.0, {1, 200, 1, true},
                    "Independent draws", "Of the traces and of the inputs asked.", "simulation"),
          executed};
}

std::vector<Preset> make_presets() {
  return {{"small",
           "Two states, two letters",
           "arXiv 2410.10101, Lemma 3.1, with the certificate of single prompts",
           "All 128 inputs of the class: from 64 traces almost every other step is certified, and "
           "what is certified is right.",
           {}},
          {"three-states",
           "Three states",
           "arXiv 2410.10101, Lemma 3.1, with the certificate of single prompts",
           "17,496 inputs, of which 128 traces settle most.",
           {{"states", 3.0},
            {"length", 3.0},
            {"traces", std::vector<double>{16, 32, 64, 128, 256}},
            {"replicates", 8.0}}},
          {"longer-words",
           "Longer words",
           "arXiv 2410.10101, section G.4: the length of the word varied",
           "Four letters instead of two need less than twice as many traces.",
           {{"length", 4.0}, {"traces", std::vector<double>{4, 8, 16, 32, 64, 128}}}},
          {"figure-4-size",
           "The size of figure 4",
           "arXiv 2410.10101, section G.4: |Q| = |Σ| = L = 4",
           "Tokens of 112 coordinates and 708,288 features; the paper trains a softmax transformer "
           "here.",
           {{"states", 4.0},
            {"letters", 4.0},
            {"length", 4.0},
            {"traces", std::vector<double>{128, 256, 512, 1024}},
            {"asked", 40.0},
            {"replicates", 2.0}}}};
}

std::vector<TableSpec> make_tables() {
  return {
      study_points_table(),
      study_curves_table(),
      {"summary",
       "The largest number of traces",
       {number_of("traceCount", "N", "traces"), number_of("inputs", "", "inputs in the class"),
        number_of("dimension", "d", "coordinates of a token"),
        number_of("features", "ψ", "features"), number_of("rank", "", "independent steps"),
        number_of("certified", "", "certified, percent"),
        number_of("certifiedWrong", "", "certified and wrong"),
        number_of("right", "", "right, percent"),
        number_of("rolledOut", "", "whole runs exact, percent"),
        number_of("executed", "", "automata executed"), number_of("exact", "", "of them exactly")}},
      {"construction",
       "Executed by fixed weights",
       {text_of("construction", "transition table"),
        number_of("dimension", "d", "coordinates of a token"), number_of("heads", "H", "heads"),
        number_of("stepsPerLetter", "", "steps of attention a letter"),
        number_of("executed", "", "random automata executed"),
        number_of("exact", "", "outputs all 0 or 1, and the states right")}},
      {"outcomes",
       "Step by step, at the number of traces that certifies about half",
       {number_of("traceCount", "N", "traces"), number_of("input", "", "unseen input"),
        number_of("step", "", "step of attention"),
        number_of("outcome", "", "0 wrong, 1 right, 2 right and certified, 3 certified, wrong")}},
      {"example",
       "One unseen input, at the same number of traces",
       {number_of("traceCount", "N", "traces"), number_of("time", "t", "letters read"),
        text_of("letter", "letter read next"), number_of("state", "", "state"),
        number_of("learned", "", "state, learned model alone")}}};
}

Figure learning_figure() {
  Figure figure;
  figure.name = "learning";
  figure.label = "Learned from traces";
  figure.caption =
      "Steps of automata that were not learned from, over {replicates} draws, with one standard "
      "error. Certified: the step's features lie in the span of the data, so that every model that "
      "fits the traces gives the same answer there. A whole run is exact when the model, fed its "
      "own rounded outputs, never goes wrong.";
  figure.x = {"traces", "N", "traces", true};
  figure.y = {"share", "", "", false};
  figure.marks = {
      simulated_dots("curves", "traceCount", "share", "shareError", "{series}", "curve")};
  return figure;
}

Figure outcome_figure() {
  Figure figure;
  figure.name = "outcomes";
  figure.label = "Which steps are certified";
  figure.caption =
      "Each row is an unseen input of the first draw, each column a step of attention, after "
      "{outcomes.traceCount} traces: 0 wrong, 1 right though not certified, 2 right and certified "
      "(3 would be certified and wrong). Even steps look up the table; odd ones join letter and "
      "state.";
  figure.x = {"step of attention", "", "", false};
  figure.y = {"unseen input", "", "", false};
  Mark map = simulated_dots("outcomes", "step", "input", "", "outcome");
  map.kind = MarkKind::kHeatMap;
  map.value = "outcome";
  figure.marks = {map};
  return figure;
}

Figure example_figure() {
  Figure figure;
  figure.name = "example";
  figure.label = "One unseen automaton";
  figure.caption =
      "Line: the states that the automaton passes through. Dots: those of the model learned from "
      "{example.traceCount} traces, which sees the table and the word once and then goes on from "
      "its own rounded outputs; it stops "
      "where its output rounds to nothing.";
  figure.x = {"letters read", "t", "", false};
  figure.y = {"state", "", "", false};
  Mark truth = theory_line("example", "time", "state", "the automaton", Standing::kNone, "");
  figure.marks = {with_role(truth, Role::kReference),
                  simulated_dots("example", "time", "learned", "", "learned model")};
  return figure;
}

Descriptor make_descriptor() {
  Descriptor result(kMhlaAutomata);
  result.title = "Can linear attention learn to run an automaton?";
  result.summary =
      "Finite automata run exactly on linear attention with weights 0 and 1; the same learned from "
      "traces by least squares, with a certificate for each single step.";
  result.answer =
      "The fixed weights ran {summary.exact} of {summary.executed} random automata exactly. After "
      "{summary.traceCount} traces, {summary.certified} % of the unseen steps are certified "
      "({summary.certifiedWrong} of these wrong), {summary.right} % are right, and "
      "{summary.rolledOut} % of whole runs.";
  result.source = "arXiv 2410.10101, sections 3.1 and G.4, Lemma 3.1";
  result.parameters = make_parameters();
  result.presets = make_presets();
  result.tables = make_tables();
  result.figures = {learning_figure(), outcome_figure(), example_figure()};
  return result;
}

}  // namespace

const Descriptor& mhla_automata_descriptor() {
  static const Descriptor descriptor = make_descriptor();
  return descriptor;
}

}  // namespace attnlab::experiments

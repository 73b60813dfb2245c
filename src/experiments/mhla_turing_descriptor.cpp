#include "experiments/describe.h"
#include "experiments/mhla_turing.h"
#include "experiments/trace_study.h"

namespace attnlab::experiments {
namespace {

std::vector<Parameter> make_parameters() {
  Parameter machine = choice(
      "machine",
      {{"busy-beaver-2", "busy beaver, 2 states"},
       {"busy-beaver-3", "busy beaver, 3 states"},
       {"busy-beaver-4", "busy beaver, 4 states"},
       {"binary-counter", "counts in binary"},
       {"random", "random"},
       {"own", "your own"}},
      "Machine", "Its rules stand in the prompt; the weights are the same for all of one size.",
      "machine");
  Parameter rules =
      parameter(ParameterType::kText, "rules", "", std::string("1RB1LB_1LA1RH"), {0, 200}, "Rules",
                "For each state and symbol: symbol written, move L, R or S, next "
                "state; H halts. States are separated by _.",
                "machine");
  rules.shown_when = {"machine", {"own"}};
  Parameter tape = parameter(ParameterType::kText, "tape", "", std::string("000000"), {0, 64},
                             "Tape", "One digit a cell.", "machine");
  tape.shown_when = {"machine", {"own"}};
  Parameter head = parameter(ParameterType::kInteger, "head", "", 3.0, {0, 63, 1}, "Head starts at",
                             "Cell, counted from 0.", "machine");
  head.shown_when = {"machine", {"own"}};
  Parameter steps =
      parameter(ParameterType::kInteger, "steps", "Φ", 12.0, {1, 128, 1}, "Steps of the machine",
                "Its history is written out this far.", "machine");
  steps.shown_when = {"machine", {"random", "own"}};
  Parameter states =
      parameter(ParameterType::kInteger, "states", "|Q|", 3.0, {1, 6, 1}, "States",
                "Of the random machine, which has two symbols and nine cells.", "machine");
  states.shown_when = {"machine", {"random"}};

  Parameter traces =
      parameter(ParameterType::kNumbers, "traces", "N", std::vector<double>{15, 30, 60, 120, 240},
                {1, 600, 1, true}, "Traces to learn from",
                "A trace is one machine running on one tape.", "learning");
  traces.maximum_count = 8;
  Parameter width = parameter(ParameterType::kInteger, "learnedWidth", "n", 2.0, {1, 3, 1}, "Cells",
                              "Of the machines to learn.", "learning");
  Parameter learned_steps = parameter(ParameterType::kInteger, "learnedSteps", "", 2.0, {1, 3, 1},
                                      "Steps", "Of the machines to learn.", "learning");
  Parameter learned_states =
      parameter(ParameterType::kInteger, "learnedStates", "", 2.0, {1, 3, 1}, "States",
                "Of the machines to learn; two symbols.", "learning");
  Parameter asked =
      parameter(ParameterType::kInteger, "asked", "", 40.0, {1, 200, 1, true},
                "Unseen machines asked", "Drawn without those learned from.", "simulation");
  Parameter example =
      parameter(ParameterType::kInteger, "example", "", 1.0, {1, 200, 1}, "Machine shown",
                "Which of the unseen machines is rolled out by the model alone.", "simulation");
  Parameter replicates =
      parameter(ParameterType::kInteger, "replicates", "R", 3.0, {1, 40, 1, true},
                "Independent draws", "Of the traces and of the machines asked.", "simulation");
  return {machine, rules,         tape,           head,  steps,   states,    traces,
          width,   learned_steps, learned_states, asked, example, replicates};
}

std::vector<Preset> make_presets() {
  const std::vector<double> short_traces{15, 30, 60, 120};
  return {
      {"busy-beaver",
       "Executed and learned",
       "arXiv 2410.10101, Lemmas B.1 and 3.1",
       "The busy beaver of two states on six cells, by 232 heads; small machines learned from "
       "traces.",
       {}},
      {"busy-beaver-3",
       "Busy beaver of 3 states",
       "arXiv 2410.10101, Lemma B.1",
       "21 steps, then it halts.",
       {{"machine", std::string("busy-beaver-3")}, {"traces", short_traces}, {"replicates", 2.0}}},
      {"busy-beaver-4",
       "Busy beaver of 4 states",
       "arXiv 2410.10101, Lemma B.1",
       "107 steps on 16 cells: tokens of 65,707 coordinates, 9,854 heads, every output exactly "
       "0 or 1.",
       {{"machine", std::string("busy-beaver-4")}, {"traces", short_traces}, {"replicates", 2.0}}},
      {"binary-counter",
       "A counter",
       "arXiv 2410.10101, Lemma B.1",
       "Counts up in binary, the last digit on the right.",
       {{"machine", std::string("binary-counter")}, {"traces", short_traces}, {"replicates", 2.0}}},
      {"random",
       "A random machine",
       "arXiv 2410.10101, Lemma B.1",
       "A new draw gives another machine; the weights stay as they are.",
       {{"machine", std::string("random")}, {"traces", short_traces}, {"replicates", 2.0}}}};
}

std::vector<TableSpec> make_tables() {
  return {
      {"summary",
       "Executed",
       {text_of("rules", "rules"), number_of("width", "n", "cells"),
        number_of("steps", "Φ", "steps of the machine"),
        number_of("dimension", "d", "coordinates of a token"), number_of("heads", "H", "heads"),
        number_of("tokens", "", "tokens in the end"),
        number_of("wrongCells", "", "cells that differ from the machine's own"),
        number_of("exact", "", "1 if every output was exactly 0 or 1"),
        number_of("haltedAfter", "", "steps until the machine stands still")}},
      {"learned",
       "Learned, the largest number of traces",
       {number_of("traceCount", "N", "traces"),
        number_of("dimension", "d", "coordinates of a token"),
        number_of("features", "ψ", "features"), number_of("rank", "", "independent steps"),
        number_of("certified", "", "certified, percent"),
        number_of("certifiedWrong", "", "certified and wrong"),
        number_of("right", "", "right, percent"),
        number_of("rolledOut", "", "whole runs exact, percent")}},
      {"tape",
       "The tape over time",
       {number_of("time", "t", "step of the machine"), number_of("cell", "", "cell"),
        number_of("symbol", "", "symbol, written by attention"),
        number_of("expected", "", "symbol, by the machine itself")}},
      {"head",
       "The head over time",
       {number_of("time", "t", "step of the machine"), number_of("cell", "", "cell"),
        text_of("state", "state, written by attention")}},
      {"wrong",
       "Cells that differ from the machine's own",
       {number_of("time", "t", "step of the machine"), number_of("cell", "", "cell")}},
      {"reads",
       "Which tokens a step of attention reads",
       {number_of("token", "", "token being written"), number_of("read", "", "token read"),
        text_of("purpose", "what the head is for")}},
      study_points_table(),
      study_curves_table(),
      {"outcomes",
       "Step by step, at the number of traces that certifies about half",
       {number_of("traceCount", "N", "traces"), number_of("machine", "", "unseen machine"),
        number_of("step", "", "step of attention"),
        number_of("outcome", "", "0 wrong, 1 right, 2 right and certified, 3 certified, wrong")}},
      {"rollOut",
       "One unseen machine, at the same number of traces",
       {text_of("rules", "rules"), number_of("traceCount", "N", "traces"),
        number_of("time", "t", "step of the machine"), number_of("cell", "", "cell"),
        text_of("truth", "the machine"), text_of("learned", "the learned model alone"),
        number_of("symbol", "", "symbol, learned model"),
        number_of("firstDifference", "", "token at which the model first goes wrong; 0 never")}},
      {"rollOutWrong",
       "Where the learned model differs",
       {number_of("time", "t", "step of the machine"), number_of("cell", "", "cell")}}};
}

Mark heat_map(std::string table, std::string x, std::string y, std::string value,
              std::string label) {
  Mark mark = simulated_dots(std::move(table), std::move(x), std::move(y), "", std::move(label));
  mark.kind = MarkKind::kHeatMap;
  mark.value = std::move(value);
  return mark;
}

std::vector<Figure> make_figures() {
  Figure tape;
  tape.name = "tape";
  tape.label = "The tape, written by attention";
  tape.caption =
      "Each cell is written by three steps of attention over all tokens before it, with the rules "
      "{summary.rules} and the first column in the prompt: {summary.heads} heads on tokens of "
      "{summary.dimension} coordinates. Dots: the machine's head and its state.";
  tape.x = {"step of the machine", "t", "", false};
  tape.y = {"cell", "", "", false};
  tape.marks = {heat_map("tape", "time", "cell", "symbol", "symbol"),
                simulated_dots("head", "time", "cell", "", "state {series}", "state"),
                with_colour(simulated_dots("wrong", "time", "cell", "", "differs"), "relu")};

  Figure reads;
  reads.name = "reads";
  reads.label = "What attention reads";
  reads.caption =
      "For each token written (across), the tokens with a score other than 0 (up), by what the "
      "head does with them. The first 400 tokens. Three steps make a cell: find, look up, write.";
  reads.x = {"token being written", "", "", false};
  reads.y = {"token read", "", "", false};
  reads.marks = {simulated_dots("reads", "token", "read", "", "{series}", "purpose")};

  Figure learning;
  learning.name = "learning";
  learning.label = "Learned from traces";
  learning.caption =
      "Steps of machines that were not learned from, {learnedStates} states on {learnedWidth} "
      "cells, "
      "over {replicates} draws, with one standard error. Certified: the step's features lie in the "
      "span of the data, so that every model that fits the traces gives the same answer there.";
  learning.x = {"traces", "N", "traces", true};
  learning.y = {"share", "", "", false};
  learning.marks = {
      simulated_dots("curves", "traceCount", "share", "shareError", "{series}", "curve")};

  Figure outcomes;
  outcomes.name = "outcomes";
  outcomes.label = "Which steps are certified";
  outcomes.caption =
      "Each row is an unseen machine of the first draw, each column a step of attention, after "
      "{outcomes.traceCount} traces: 0 wrong, 1 right though not certified, 2 right and certified "
      "(3 would be certified and wrong).";
  outcomes.x = {"step of attention", "", "", false};
  outcomes.y = {"unseen machine", "", "", false};
  outcomes.marks = {heat_map("outcomes", "step", "machine", "outcome", "outcome")};

  Figure roll_out;
  roll_out.name = "roll-out";
  roll_out.label = "The learned model alone";
  roll_out.caption =
      "An unseen machine, {rollOut.rules}, run by the model learned from {rollOut.traceCount} "
      "traces "
      "on its own rounded outputs; marks where a cell differs from the machine's. First "
      "difference: "
      "token {rollOut.firstDifference} (0: none).";
  roll_out.x = {"step of the machine", "t", "", false};
  roll_out.y = {"cell", "", "", false};
  roll_out.marks = {
      heat_map("rollOut", "time", "cell", "symbol", "symbol"),
      with_colour(simulated_dots("rollOutWrong", "time", "cell", "", "differs"), "relu")};
  return {tape, learning, reads, outcomes, roll_out};
}

Descriptor make_descriptor() {
  Descriptor result(kMhlaTuring);
  result.title = "Can linear attention run a Turing machine?";
  result.summary =
      "A universal machine in whole-number weights writes its tape token by token, exactly; small "
      "machines learned from traces, with a certificate for each single step.";
  result.answer =
      "{summary.heads} heads wrote the machine's history in {summary.tokens} tokens with "
      "{summary.wrongCells} wrong cells. Learned from {learned.traceCount} traces, "
      "{learned.certified} % of the steps of unseen machines are certified "
      "({learned.certifiedWrong} of these wrong), {learned.right} % are right, and "
      "{learned.rolledOut} % of whole runs.";
  result.source = "arXiv 2410.10101, section 3.1, Lemma B.1, appendix F";
  result.parameters = make_parameters();
  result.presets = make_presets();
  result.tables = make_tables();
  result.figures = make_figures();
  return result;
}

}  // namespace

const Descriptor& mhla_turing_descriptor() {
  static const Descriptor descriptor = make_descriptor();
  return descriptor;
}

}  // namespace attnlab::experiments

#include "experiments/describe.h"
#include "experiments/mhla_learn.h"

namespace attnlab::experiments {
namespace {

std::vector<Parameter> make_parameters() {
  std::vector<Parameter> parameters;
  parameters.push_back(parameter(ParameterType::kInteger, "dimension", "d", 2.0, {2, 4, 1},
                                 "Token dimension", "The paper takes 2 and 4.", "data"));
  parameters.push_back(parameter(ParameterType::kInteger, "sequences", "N", 512.0,
                                 {16, 4096, 0, true}, "Sequences",
                                 "Each has a target at every token.", "data"));
  parameters.push_back(parameter(ParameterType::kInteger, "length", "T", 100.0, {2, 200, 1},
                                 "Tokens of a sequence",
                                 "Every prefix of a sequence is one prompt.", "data"));
  parameters.push_back(choice(
      "scale",
      {{"variance", "variance 1/√d and 1/√T"}, {"deviation", "standard deviation 1/√d and 1/√T"}},
      "Scale of the entries", "N(0, I/√d) in the paper can be read in two ways.", "data"));
  Parameter heads =
      parameter(ParameterType::kNumbers, "heads", "H", std::vector<double>{1, 2, 4, 8, 16},
                {1, 32, 1}, "Heads trained", "One curve each.", "training");
  heads.maximum_count = 6;
  parameters.push_back(heads);
  parameters.push_back(choice("others",
                              {{"none", "none"},
                               {"layers", "two layers of linear attention"},
                               {"transformer", "a small softmax transformer"},
                               {"both", "both"}},
                              "Other models", "Trained on the same data for fewer epochs.",
                              "training"));
  parameters.push_back(parameter(ParameterType::kNumber, "rate", "", 0.01, {1e-5, 1, 0, true},
                                 "Learning rate", "The paper takes 0.01 and 0.001.", "training"));
  parameters.push_back(parameter(ParameterType::kNumber, "weightDecay", "", 0.0, {0, 1, 0.001},
                                 "Weight decay", "Of AdamW; it alone sets a floor.", "training"));
  parameters.push_back(parameter(ParameterType::kInteger, "batch", "", 32.0, {1, 4096, 0, true},
                                 "Sequences in a batch", "Drawn without return within an epoch.",
                                 "training"));
  parameters.push_back(parameter(ParameterType::kInteger, "epochs", "", 500.0, {1, 2000, 0, true},
                                 "Epochs", "Passes over all sequences.", "training"));
  Parameter other_epochs =
      parameter(ParameterType::kInteger, "otherEpochs", "", 20.0, {1, 500, 0, true},
                "Epochs of the other models",
                "They are trained token by token, which takes longer.", "training");
  other_epochs.rare = true;
  other_epochs.shown_when = {"others", {"layers", "transformer", "both"}};
  parameters.push_back(other_epochs);
  parameters.push_back(parameter(ParameterType::kInteger, "replicates", "R", 3.0, {1, 10, 1},
                                 "Runs of each curve", "Other starts and orders of the data.",
                                 "training"));
  return parameters;
}

std::vector<Preset> make_presets() {
  return {{"figure-1a",
           "d = 2",
           "arXiv 2410.10101, section 4.1, N = 512, d = 2",
           "Least squares ends at rounding level in one step; trained heads end there or far above "
           "it, and the order of the curves is not that of the number of heads.",
           {}},
          {"figure-1b",
           "d = 4",
           "arXiv 2410.10101, section 4.1, N = 2048, d = 4",
           "The same with four coordinates.",
           {{"dimension", 4.0}, {"sequences", 2048.0}, {"epochs", 200.0}}},
          {"deviation",
           "Other scale",
           "arXiv 2410.10101, section 4.1, the other reading",
           "Entries with standard deviation 1/√d and 1/√T: smaller outputs, the same picture.",
           {{"scale", std::string("deviation")}}},
          {"weight-decay",
           "Weight decay",
           "arXiv 2410.10101, section 4.1; derived",
           "AdamW's default weight decay of 0.01 holds every curve up, whatever the heads.",
           {{"weightDecay", 0.01}}},
          {"architectures",
           "Other architectures",
           "arXiv 2410.10101, section 4.1",
           "Two layers of linear attention and a small softmax transformer on the same data.",
           {{"others", std::string("both")},
            {"heads", std::vector<double>{1, 4}},
            {"sequences", 128.0},
            {"length", 32.0},
            {"epochs", 200.0},
            {"otherEpochs", 30.0},
            {"replicates", 2.0}}}};
}

std::vector<TableSpec> make_tables() {
  const Column curve = text_of("curve", "model");
  const Column epoch = number_of("epoch", "", "epochs done");
  return {{"curves",
           "Loss by epoch",
           {curve, epoch, number_of("loss", "", "mean squared error, median over runs"),
            number_of("low", "", "smallest over runs"), number_of("high", "", "largest over runs"),
            number_of("runs", "", "runs that have come this far")}},
          {"solver",
           "Least squares",
           {epoch, number_of("trainingLoss", "", "training loss of least squares"),
            number_of("heldOutLoss", "", "its loss on unseen sequences")}},
          {"final",
           "Where the runs ended",
           {curve, number_of("run", "", "run"), number_of("loss", "", "mean squared error"),
            number_of("epochs", "", "epochs done")}},
          {"summary",
           "In short",
           {number_of("trainingLoss", "", "training loss of least squares"),
            number_of("heldOutLoss", "", "held-out loss of least squares"),
            number_of("variance", "", "variance of the targets"),
            number_of("solverHeads", "", "heads of the solver's answer"),
            number_of("best", "", "smallest trained loss"),
            number_of("worst", "", "largest trained loss"),
            number_of("minimumEigenvalue", "λ_{min}", "smallest eigenvalue of Λ"),
            text_of("method", "way of the fit")}}};
}

Figure loss_figure() {
  Figure figure;
  figure.name = "loss";
  figure.label = "Training loss";
  figure.caption =
      "N = {sequences} sequences of {length} tokens, d = {dimension}, a target at every token from "
      "one head with random weights. Each curve: median over {replicates} runs of AdamW (learning "
      "rate {rate}, weight decay {weightDecay}), the band from the lowest to the highest. Black: "
      "least squares on the same data, on the training sequences and, dotted, on unseen ones; it "
      "is at the rounding level of double precision.";
  figure.x = {"epochs", "", "", false};
  figure.y = {"mean squared error", "", "", true};
  Mark band;
  band.kind = MarkKind::kBand;
  band.role = Role::kSimulation;
  band.table = "curves";
  band.x = "epoch";
  band.low = "low";
  band.high = "high";
  band.series = "curve";
  band.colour = "series";
  band.label = "{series}, range";
  Mark line = with_kind(simulated_dots("curves", "epoch", "loss", "", "{series}", "curve"),
                        MarkKind::kLine);
  Mark solver = theory_line("solver", "epoch", "trainingLoss", "least squares", Standing::kTheorem,
                            "arXiv 2410.10101, Theorem 2.2");
  solver.colour = "bayes";
  Mark held_out = solver;
  held_out.y = "heldOutLoss";
  held_out.label = "least squares, unseen sequences";
  held_out.role = Role::kReference;
  held_out.standing = Standing::kNone;
  figure.marks = {band, line, solver, held_out};
  return figure;
}

Descriptor make_descriptor() {
  Descriptor d(kMhlaLearn);
  d.title = "Can linear attention be learned exactly?";
  d.summary =
      "Heads trained by AdamW beside the least-squares solver that finds the global minimum at "
      "once.";
  d.answer =
      "Least squares reaches a training loss of {summary.trainingLoss} ({summary.heldOutLoss} on "
      "unseen sequences; the targets have variance {summary.variance}); trained heads end between "
      "{summary.best} and {summary.worst}.";
  d.source = "arXiv 2410.10101, section 4.1, Algorithm 1, Theorem 2.2";
  d.parameters = make_parameters();
  d.presets = make_presets();
  d.tables = make_tables();
  d.figures = {loss_figure()};
  return d;
}

}  // namespace

const Descriptor& mhla_learn_descriptor() {
  static const Descriptor descriptor = make_descriptor();
  return descriptor;
}

}  // namespace attnlab::experiments

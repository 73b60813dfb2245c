#include "experiments/describe.h"
#include "experiments/mhla_bowl.h"

namespace attnlab::experiments {
namespace {

constexpr double kReach = kBowlReach;

std::vector<Parameter> make_parameters() {
  const Limits plane{-kReach, kReach, 0.05};
  Parameter heads = parameter(ParameterType::kNumbers, "heads", "H", std::vector<double>{1, 2},
                              {1, 8, 1}, "Heads", "One path of gradient descent each.", "descent");
  heads.maximum_count = 4;
  return {
      parameter(ParameterType::kNumber, "startFirst", "W₁₁", 0.15, plane, "Start, first",
                "Where gradient descent begins; drag it in the figure.", "start"),
      parameter(ParameterType::kNumber, "startSecond", "W₂₂", 1.2, plane, "Start, second",
                "The other coordinate of the start.", "start"),
      parameter(ParameterType::kNumber, "bestFirst", "W*₁₁", 2.0, plane, "Truth, first",
                "The bottom of the bowl.", "truth"),
      parameter(ParameterType::kNumber, "bestSecond", "W*₂₂", 1.5, plane, "Truth, second",
                "The other coordinate of the bottom.", "truth"),
      parameter(ParameterType::kNumber, "correlation", "ρ", 0.0, {-0.95, 0.95, 0.05}, "Correlation",
                "Of the two diagonal features: tilts the bowl.", "truth"),
      parameter(ParameterType::kNumber, "offDiagonal", "γ", 3.0, {0, 10, 0.1},
                "Weight of the other entries", "Variance of the off-diagonal features.", "truth"),
      heads,
      parameter(ParameterType::kNumber, "rate", "", 0.01, {1e-4, 1, 0, true}, "Learning rate",
                "Of gradient descent on the heads.", "descent"),
      parameter(ParameterType::kInteger, "steps", "", 2000.0, {10, 20000, 0, true}, "Steps",
                "Of gradient descent.", "descent")};
}

std::vector<TableSpec> make_tables() {
  const Column first = number_of("first", "W₁₁", "first diagonal entry");
  const Column second = number_of("second", "W₂₂", "second diagonal entry");
  const Column path = text_of("path", "heads");
  const Column step = number_of("step", "", "steps of gradient descent");
  return {
      {"surface",
       "The bowl over diagonal W",
       {first, second, number_of("rootLoss", "√L", "root of the loss")}},
      {"paths", "Gradient descent, seen on the diagonal", {path, step, first, second}},
      {"losses", "Loss along the paths", {path, step, number_of("loss", "L", "loss")}},
      {"points",
       "Points of the plane",
       {text_of("point", "point"), first, second, number_of("loss", "L", "loss")}},
      {"straight",
       "Least squares",
       {first, second, number_of("toFirst", "W*₁₁", "to"), number_of("toSecond", "W*₂₂", "to")}},
      {"axes", "Diagonal W of rank one", {text_of("axis", "axis"), first, second}},
      {"summary",
       "In short",
       {number_of("oneHead", "", "loss where one head ended"),
        number_of("moreHeads", "", "loss where more heads ended"),
        number_of("bestOneHead", "", "lower of the two axes' best losses"),
        number_of("otherOneHead", "", "higher of the two"),
        number_of("firstBest", "", "best point on the first axis"),
        number_of("secondBest", "", "best point on the second axis")}}};
}

Figure bowl_figure() {
  Figure figure;
  figure.name = "bowl";
  figure.label = "The plane of diagonal W";
  figure.caption =
      "Colour: root of the loss, a convex bowl with its bottom at W* = ({bestFirst}, "
      "{bestSecond}). "
      "One head makes W of rank one: within this plane, the two dashed axes, each with its own "
      "best "
      "point. Lines: gradient descent from ({startFirst}, {startSecond}), projected onto the "
      "diagonal (one head passes outside the plane on its way). Arrow: least squares.";
  figure.x = {"first diagonal entry", "W₁₁", "", false};
  figure.y = {"second diagonal entry", "W₂₂", "", false};
  Mark map;
  map.kind = MarkKind::kHeatMap;
  map.role = Role::kTheory;
  map.table = "surface";
  map.x = "first";
  map.y = "second";
  map.value = "rootLoss";
  map.label = "root of the loss";
  map.standing = Standing::kDerived;
  map.source = "derived here: L(W) from the covariance of the features";
  Mark axes = with_role(theory_line("axes", "first", "second", "W of rank one: {series}",
                                    Standing::kDerived, "det diag(W) = 0", "axis"),
                        Role::kBound);
  axes.colour = "bayes";
  Mark path = with_kind(simulated_dots("paths", "first", "second", "", "{series}", "path"),
                        MarkKind::kLine);
  Mark arrow;
  arrow.kind = MarkKind::kArrows;
  arrow.role = Role::kTheory;
  arrow.table = "straight";
  arrow.x = "first";
  arrow.y = "second";
  arrow.low = "toFirst";
  arrow.high = "toSecond";
  arrow.label = "least squares";
  arrow.colour = "bayes";
  arrow.standing = Standing::kTheorem;
  arrow.source = "arXiv 2410.10101, Algorithm 1";
  Mark points = with_role(simulated_dots("points", "first", "second", "", "{series}", "point"),
                          Role::kReference);
  figure.marks = {map, axes, path, arrow, points};
  figure.handle = {"startFirst", "startSecond"};
  return figure;
}

Figure loss_figure() {
  Figure figure;
  figure.name = "loss";
  figure.label = "Loss along the paths";
  figure.caption =
      "Gradient descent from the same start. One head can end on either axis: losses {"
      "summary.bestOneHead} and {summary.otherOneHead}.";
  figure.x = {"steps", "", "", false};
  figure.y = {"loss", "L", "", true};
  figure.marks = {
      with_kind(simulated_dots("losses", "step", "loss", "", "{series}", "path"), MarkKind::kLine)};
  return figure;
}

}  // namespace

const Descriptor& mhla_bowl_descriptor() {
  static const Descriptor made = [] {
    Descriptor d(kMhlaBowl);
    d.title = "Why is learning attention a convex problem?";
    d.summary =
        "In W = Σ V_h Q_hᵀ the loss is a bowl, whose bottom least squares finds at once; only a "
        "limit on the number of heads takes that away.";
    d.answer =
        "One head ends at a loss of {summary.oneHead}, on one of two axes with best losses "
        "{summary.bestOneHead} and {summary.otherOneHead}[; with more heads gradient descent ends "
        "at {summary.moreHeads}]. Least squares ends at 0.";
    d.source = "arXiv 2410.10101, section 2, Algorithm 1";
    d.parameters = make_parameters();
    d.presets = {{"relaxation",
                  "The bowl and the axes",
                  "arXiv 2410.10101, section 2",
                  "From this start one head stops at the worse axis for a long time; two heads "
                  "reach the bottom.",
                  {}},
                 {"better-axis",
                  "The other axis",
                  "arXiv 2410.10101, section 2",
                  "Nearer to the first axis one head finds the better of the two points.",
                  {{"startFirst", 1.2}, {"startSecond", 0.15}}},
                 {"tilted",
                  "Correlated features",
                  "arXiv 2410.10101, section 2",
                  "Correlated features tilt the bowl and move the best points along the axes.",
                  {{"correlation", 0.7}, {"bestFirst", 2.0}, {"bestSecond", -1.0}}}};
    d.tables = make_tables();
    d.figures = {bowl_figure(), loss_figure()};
    return d;
  }();
  return made;
}

}  // namespace attnlab::experiments

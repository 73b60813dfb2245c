#include "experiments/describe.h"
#include "experiments/needle_finite_sample.h"
#include "experiments/needle_setup.h"

namespace attnlab::experiments {
namespace {

constexpr const char* kReplica = "arXiv 2509.21936, Result 5.1 (replica symmetric)";

std::vector<Parameter> make_parameters() {
  Parameter length = needle_length_parameter(3, 8);
  length.minimum = 2;
  Parameter samples =
      parameter(ParameterType::kInteger, "theorySamples", "M", 6000.0, {500, 200000, 500, true},
                "Fields in the theory", "The averages of the state evolution are over this many.",
                "simulation");
  samples.rare = true;
  Parameter streams = parameter(
      ParameterType::kInteger, "theoryStreams", "", 3.0, {1, 40, 1}, "Streams of the theory",
      "Independent sets of fields; their spread is the theory's error.", "simulation");
  streams.rare = true;
  return {needle_model_parameter(true),
          length,
          needle_snr_parameter(2),
          needle_noise_parameter(0.1),
          parameter(ParameterType::kNumbers, "ratios", "α", std::vector<double>{1, 2, 4, 8, 12, 20},
                    {0.1, 100, 0.1, true}, "Prompts per dimension", "α = N/D.", "learning"),
          parameter(ParameterType::kNumber, "ridgeKeys", "r_k", 1.0, {0.001, 100, 0, true},
                    "Ridge on the key", "Half of r_k |k|² is added to the loss.", "learning"),
          parameter(ParameterType::kNumber, "ridgeValues", "r_v", 1.0, {0.001, 100, 0, true},
                    "Ridge on the value", "Half of r_v |v|² is added to the loss.", "learning"),
          choice("start", {{"informed", "near the truth"}, {"uninformed", "knowing nothing"}},
                 "Start", "Where theory and training begin.", "learning"),
          choice("trainer", {{"lbfgs", "L-BFGS"}, {"descent", "gradient descent"}}, "Trained by",
                 "How the loss is minimised.", "simulation"),
          parameter(ParameterType::kInteger, "dimension", "D", 100.0, {10, 1000, 10, true},
                    "Dimension of the data sets", "The theory is for D → ∞.", "simulation"),
          parameter(ParameterType::kInteger, "replicates", "", 6.0, {1, 200, 1, true}, "Data sets",
                    "For every dot.", "simulation"),
          samples,
          streams};
}

std::vector<Preset> make_presets() {
  return {
      {"figure-3-snr-2",
       "Figure 3, ν = 2",
       "arXiv 2509.21936, Figure 3 and Result 5.1",
       "Softmax needs fewer prompts and ends lower; both stay above the Bayes-optimal estimator.",
       {}},
      {"figure-3-snr-1",
       "Figure 3, ν = 1",
       "arXiv 2509.21936, Figure 3 and Result 5.1",
       "A fainter hint: the gap is smaller.",
       {{"snr", 1.0}}},
      {"figure-3-max",
       "Figure 3, max",
       "arXiv 2509.21936, Figure 3, max-SLR with ν = ∞",
       "Here the Bayes risk is 0 and only softmax goes there.",
       {{"model", std::string("argmax")}, {"ridgeKeys", 0.3}, {"ridgeValues", 0.3}}},
      {"small-ridge",
       "Where the theory fails",
       "derived: replicon of the replica-symmetric equations",
       "With little ridge and few prompts the equations for linear attention do not settle or "
       "are unstable: hatched, no number.",
       {{"ridgeKeys", 0.1},
        {"ridgeValues", 0.1},
        {"ratios", std::vector<double>{2, 4, 8, 20}},
        {"theorySamples", 20000.0},
        {"theoryStreams", 2.0}}},
      {"knowing-nothing",
       "Knowing nothing",
       "arXiv 2509.21936, Section 5",
       "From a random start training ends at the same error at this ridge.",
       {{"start", std::string("uninformed")}}}};
}

std::vector<TableSpec> make_tables() {
  TableSpec points{
      "points", "Theory and training", {number_of("ratio", "α", "prompts per dimension")}};
  for (const std::string kernel : {"softmax", "linear"}) {
    const struct {
      const char* name;
      const char* label;
    } quantities[] = {{"Risk", "test error"},
                      {"Train", "training loss a prompt"},
                      {"Key", "m_k = k·k*/D"},
                      {"Value", "m_v = v·v*/D"}};
    for (const auto& quantity : quantities) {
      const std::string label = kernel + ", " + quantity.label;
      points.columns.push_back(number_of(kernel + quantity.name, "", label + ", theory"));
      points.columns.push_back(
          number_of(kernel + quantity.name + "TheoryError", "", "its error, of the average"));
      points.columns.push_back(
          number_of(kernel + quantity.name + "Trained", "", label + ", trained"));
      points.columns.push_back(
          number_of(kernel + quantity.name + "Error", "", "one standard error of it"));
    }
  }
  points.columns.push_back(number_of("bayesOptimal", "", "Bayes-optimal, theory"));
  points.columns.push_back(number_of("bayesOptimalError", "", "its error, of the average"));
  points.columns.push_back(number_of("bayesRisk", "", "Bayes risk, α → ∞"));
  return {
      points,
      {"cells",
       "Verdicts",
       {text_of("kernel", "attention"), number_of("ratio", "α", "prompts per dimension"),
        text_of("verdict", "the iteration"), number_of("risk", "", "test error"),
        number_of("riskError", "", "its error, of the average"),
        number_of("replicon", "", "replicon; stable below 1, up to the sample’s error"),
        number_of("key", "m_k", "m_k"), number_of("value", "m_v", "m_v")}},
      {"failures",
       "Cells without a number",
       {text_of("cell", "cell"), number_of("ratio", "α", "prompts per dimension"),
        number_of("low", "", "lower edge of the strip"),
        number_of("high", "", "upper edge of the strip"), text_of("verdict", "the iteration")}},
      {"summary",
       "At the largest α",
       {number_of("ratio", "α", "prompts per dimension"),
        number_of("softmax", "", "softmax, theory"), number_of("linear", "", "linear, theory"),
        number_of("softmaxTrained", "", "softmax, trained"),
        number_of("linearTrained", "", "linear, trained"),
        number_of("bayesOptimal", "", "Bayes-optimal"), number_of("bayesRisk", "", "Bayes risk")}}};
}

Mark failing_strip() {
  Mark mark;
  mark.kind = MarkKind::kBand;
  mark.role = Role::kUndefined;
  mark.table = "failures";
  mark.x = "ratio";
  mark.low = "low";
  mark.high = "high";
  mark.series = "cell";
  mark.label = "no stable solution: {series}";
  mark.standing = Standing::kDerived;
  mark.source = "the iteration does not settle, or its replicon is above 1";
  return mark;
}

void add_pair(Figure& figure, const std::string& quantity) {
  for (const std::string kernel : {"softmax", "linear"}) {
    figure.marks.push_back(with_colour(
        theory_line("points", "ratio", kernel + quantity, kernel, Standing::kHeuristic, kReplica),
        kernel));
    figure.marks.push_back(
        with_colour(simulated_dots("points", "ratio", kernel + quantity + "Trained",
                                   kernel + quantity + "Error", kernel + ", trained"),
                    kernel));
  }
}

Figure make_figure(std::string name, std::string label, std::string caption,
                   const std::string& quantity, std::string axis) {
  Figure figure;
  figure.name = std::move(name);
  figure.label = std::move(label);
  figure.caption = std::move(caption);
  figure.x = {"prompts per dimension", "α = N/D", "", true};
  figure.y = {std::move(axis), "", "", false};
  add_pair(figure, quantity);
  return figure;
}

std::vector<Figure> make_figures() {
  Figure risk = make_figure(
      "risk", "Test error",
      "Lines: state evolution, D → ∞. Dots: minimised data sets at D = {dimension}, {replicates} a "
      "dot, with one standard error. Ridge r_k = {ridgeKeys}, r_v = {ridgeValues}, noise Δ = "
      "{noise}. Dashed: the Bayes risk {summary.bayesRisk}, which no estimator can pass at any α; "
      "readings of the paper's figure 3 that lie below it use another convention or another "
      "setting. "
      "Where the equations have no stable solution the strip is hatched and no number is drawn.",
      "Risk", "excess test error");
  Mark bayes = theory_line("points", "ratio", "bayesOptimal", "Bayes-optimal", Standing::kHeuristic,
                           "state evolution of Bayes-optimal AMP, derived");
  bayes.colour = "bayes";
  Mark limit = with_role(theory_line("points", "ratio", "bayesRisk", "Bayes risk",
                                     Standing::kDerived, "arXiv 2509.21936, Section 4; quadrature"),
                         Role::kBound);
  limit.colour = "bayes";
  risk.marks.insert(risk.marks.begin(), failing_strip());
  risk.marks.push_back(bayes);
  risk.marks.push_back(limit);
  return {risk,
          make_figure("train", "Training loss",
                      "Mean of (y − f)²/2 over the prompts learned from, without the ridge.",
                      "Train", "loss a prompt"),
          make_figure("key", "What the key has learned",
                      "Overlap of the learned key with the hidden one; √ν is the best scale for "
                      "softmax when everything is known.",
                      "Key", "m_k"),
          make_figure("value", "What the value has learned",
                      "Overlap of the learned value with the hidden one.", "Value", "m_v")};
}

}  // namespace

const Descriptor& needle_finite_sample_descriptor() {
  static const Descriptor kDescriptor = [] {
    Descriptor d(kNeedleFiniteSample);
    d.title = "How many prompts does it take to learn to find it?";
    d.summary =
        "Test error of trained softmax and linear attention against the number of prompts, in "
        "theory "
        "and by training.";
    d.answer =
        "With {summary.ratio} prompts per dimension trained softmax has test error "
        "{summary.softmaxTrained} (theory {summary.softmax}), linear attention "
        "{summary.linearTrained} (theory {summary.linear}); the best estimator has "
        "{summary.bayesOptimal}.";
    d.source = "arXiv 2509.21936, Section 5";
    d.parameters = make_parameters();
    d.presets = make_presets();
    d.tables = make_tables();
    d.figures = make_figures();
    return d;
  }();
  return kDescriptor;
}

}  // namespace attnlab::experiments

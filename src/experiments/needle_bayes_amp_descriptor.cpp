#include "experiments/describe.h"
#include "experiments/needle_bayes_amp.h"
#include "experiments/needle_setup.h"

namespace attnlab::experiments {
namespace {

constexpr const char* kEvolution = "state evolution, derived: q ← α E|g|²/(1 + α E|g|²)";
constexpr const char* kPassing = "state evolution of the damped iteration, derived";

std::vector<Parameter> make_parameters() {
  Parameter length = needle_length_parameter(3, 8);
  length.minimum = 2;
  Parameter samples =
      parameter(ParameterType::kInteger, "theorySamples", "M", 4000.0, {500, 200000, 500, true},
                "Fields in the theory", "The averages of the state evolution are over this many.",
                "simulation");
  samples.rare = true;
  Parameter damping = parameter(
      ParameterType::kNumber, "damping", "", 0.8, {0.1, 1, 0.05}, "Share of the new vectors",
      "1 is plain message passing; at finite D a little less is steadier.", "simulation");
  damping.rare = true;
  Parameter snr = needle_snr_parameter(2);
  snr.shown_when = {"model", {"spiked"}};
  return {
      needle_model_parameter(false),
      length,
      snr,
      needle_noise_parameter(0.1),
      parameter(ParameterType::kNumber, "ratio", "α", 4.0, {0.1, 40, 0.1, true},
                "Prompts per dimension", "α = N/D, for the iterations.", "learning"),
      parameter(ParameterType::kNumbers, "ratios", "α",
                std::vector<double>{0.5, 0.8, 1, 1.2, 1.5, 2, 3, 4, 6, 8}, {0.1, 40, 0.05, true},
                "Prompts per dimension, sweep", "For the fixed points.", "learning"),
      parameter(ParameterType::kInteger, "iterations", "t", 25.0, {1, 400, 1, true}, "Iterations",
                "Of message passing.", "simulation"),
      parameter(ParameterType::kInteger, "dimension", "D", 150.0, {20, 1000, 10, true},
                "Dimension of the data sets", "The theory is for D → ∞.", "simulation"),
      parameter(ParameterType::kInteger, "replicates", "", 5.0, {1, 100, 1, true}, "Data sets",
                "Each passed from both starts.", "simulation"),
      damping,
      samples};
}

std::vector<Preset> make_presets() {
  const std::vector<double> narrow = {0.9, 1, 1.1, 1.15, 1.2, 1.25, 1.3, 1.4, 1.6};
  return {{"iterations",
           "Iteration by iteration",
           "arXiv 2509.21936, Section 5 (Bayes-optimal)",
           "Message passing at D = 150 follows the theory of D → ∞ step by step.",
           {}},
          {"hard-phase",
           "The hard phase",
           "arXiv 2509.21936, Appendix B",
           "With hardly any noise, near α = 1.2, knowing nothing ends far from what is possible.",
           {{"noise", 0.001},
            {"ratio", 1.2},
            {"ratios", narrow},
            {"iterations", 60.0},
            {"dimension", 400.0},
            {"replicates", 4.0}}},
          {"max",
           "The largest score",
           "arXiv 2509.21936, Figure 3, max-SLR with ν = ∞",
           "The error drops sharply once α passes about 1.3, and goes on to 0.",
           {{"model", std::string("argmax")},
            {"dimension", 200.0},
            {"iterations", 40.0},
            {"theorySamples", 1500.0},
            {"replicates", 3.0},
            {"ratios", std::vector<double>{0.5, 0.8, 1, 1.2, 1.5, 2, 4, 8}}}}};
}

std::vector<TableSpec> make_tables() {
  TableSpec iterations{
      "iterations", "Iteration by iteration", {number_of("iteration", "t", "iteration")}};
  const struct {
    const char* name;
    const char* label;
  } starts[] = {{"uninformed", "knowing nothing"}, {"informed", "from the truth"}},
    quantities[] = {
        {"Risk", "test error"}, {"Key", "overlap of the key"}, {"Value", "overlap of the value"}};
  for (const auto& start : starts)
    for (const auto& quantity : quantities) {
      const std::string name = std::string(start.name) + quantity.name;
      const std::string label = std::string(quantity.label) + ", " + start.label;
      iterations.columns.push_back(number_of(name, "", label + ", theory"));
      iterations.columns.push_back(number_of(name + "Run", "", label + ", message passing"));
      iterations.columns.push_back(number_of(name + "Error", "", "one standard error of it"));
    }
  return {iterations,
          {"sweep",
           "Fixed points",
           {number_of("ratio", "α", "prompts per dimension"),
            number_of("uninformed", "", "test error, knowing nothing"),
            number_of("informed", "", "test error, from the truth"),
            number_of("gap", "", "difference")}},
          {"summary",
           "At the last iteration",
           {number_of("ratio", "α", "prompts per dimension"),
            number_of("uninformed", "", "theory, knowing nothing"),
            number_of("informed", "", "theory, from the truth"),
            number_of("run", "", "message passing, knowing nothing"),
            number_of("runError", "", "one standard error of it"),
            number_of("gapFrom", "α", "smallest α with a gap"),
            number_of("gapTo", "α", "largest α with a gap"),
            number_of("bayesRisk", "", "Bayes risk, α → ∞")}}};
}

Figure iteration_figure(const std::string& quantity, const std::string& label,
                        const std::string& axis) {
  Figure figure;
  figure.name = quantity == "Risk" ? "iterations" : quantity == "Key" ? "key" : "value";
  figure.label = label;
  figure.caption =
      "Lines: state evolution, D → ∞. Dots: message passing on {replicates} data sets at D = "
      "{dimension}, α = {ratio}, with one standard error.";
  figure.x = {"iteration", "t", "", false};
  figure.y = {axis, "", "", false};
  const struct {
    const char* name;
    const char* label;
    const char* colour;
  } starts[] = {{"uninformed", "knowing nothing", "bayes"}, {"informed", "from the truth", ""}};
  for (const auto& start : starts) {
    const std::string column = start.name + quantity;
    figure.marks.push_back(with_colour(
        theory_line("iterations", "iteration", column, start.label, Standing::kHeuristic, kPassing),
        start.colour));
    figure.marks.push_back(
        with_colour(simulated_dots("iterations", "iteration", column + "Run", column + "Error",
                                   std::string(start.label) + ", message passing"),
                    start.colour));
  }
  return figure;
}

Figure sweep_figure() {
  Figure figure;
  figure.name = "sweep";
  figure.label = "Where it ends";
  figure.caption =
      "Fixed points of the state evolution from both starts. Where they differ there is a hard "
      "phase: "
      "the better one exists, and message passing that knows nothing does not reach it. Which of "
      "the "
      "two is the thermodynamic one is not computed here.";
  figure.x = {"prompts per dimension", "α", "", true};
  figure.y = {"excess test error", "", "", false};
  figure.marks = {with_colour(theory_line("sweep", "ratio", "uninformed", "knowing nothing",
                                          Standing::kHeuristic, kEvolution),
                              "bayes"),
                  theory_line("sweep", "ratio", "informed", "from the truth", Standing::kHeuristic,
                              kEvolution)};
  return figure;
}

}  // namespace

const Descriptor& needle_bayes_amp_descriptor() {
  static const Descriptor kDescriptor = [] {
    Descriptor d(kNeedleBayesAmp);
    d.title = "What is the best that can be learned from these prompts?";
    d.summary =
        "The best that any estimator can do, sought by approximate message passing and beside its "
        "theory, and the hard phase, in which message passing stays behind.";
    d.answer =
        "At α = {summary.ratio} message passing ends at test error {summary.run}; the theory says "
        "{summary.uninformed} knowing nothing and {summary.informed} from the truth.";
    d.source = "arXiv 2509.21936, Section 5 and Appendix B";
    d.parameters = make_parameters();
    d.presets = make_presets();
    d.tables = make_tables();
    d.figures = {
        iteration_figure("Risk", "Test error, iteration by iteration", "excess test error"),
        sweep_figure(), iteration_figure("Key", "Overlap of the key", "k·k*/D"),
        iteration_figure("Value", "Overlap of the value", "v·v*/D")};
    return d;
  }();
  return kDescriptor;
}

}  // namespace attnlab::experiments

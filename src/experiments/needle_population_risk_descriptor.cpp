#include "experiments/describe.h"
#include "experiments/needle_population_risk.h"
#include "experiments/needle_setup.h"

namespace attnlab::experiments {
namespace {

std::vector<Parameter> make_parameters() {
  Parameter sweep =
      choice("sweep", {{"snr", "ν, the strength of the hint"}, {"length", "L, the length"}},
             "Along the axis", "What grows from left to right.", "model");
  Parameter snrs = parameter(ParameterType::kNumbers, "snrs", "ν",
                             std::vector<double>{0.5, 1, 2, 3, 4, 5, 6, 8, 10, 12, 14, 16},
                             {0, 64, 0.25}, "Values of ν", "Where prompts are simulated.", "model");
  snrs.shown_when = {"sweep", {"snr"}};
  Parameter lengths = parameter(ParameterType::kNumbers, "lengths", "L",
                                std::vector<double>{2, 3, 4, 5, 7, 10, 15, 20, 30}, {1, 60, 1},
                                "Lengths", "Where prompts are simulated.", "model");
  lengths.shown_when = {"sweep", {"length"}};
  Parameter length = needle_length_parameter(2, 60);
  length.shown_when = {"sweep", {"snr"}};
  Parameter snr = needle_snr_parameter(5);
  snr.shown_when = {"sweep", {"length"}};
  Parameter random_length =
      parameter(ParameterType::kBoolean, "randomLength", "", false, {0, 0}, "Random length",
                "Every prompt draws its own length from 1 … 2L − 1, mean L.", "model");
  Parameter limit = parameter(ParameterType::kNumber, "largestScale", "|k|/√D", 30.0,
                              {1, 300, 1, true}, "Largest scale for softmax",
                              "With ν = ∞ softmax gains from every longer key; the risk is about "
                              "a constant over this.",
                              "model");
  limit.shown_when = {"model", {"argmax"}};
  Parameter dimension =
      parameter(ParameterType::kInteger, "dimension", "D", 16.0, {2, 256, 1, true},
                "Coordinates of a token", "The risk does not depend on them.", "simulation");
  dimension.rare = true;
  return {sweep,
          needle_model_parameter(true),
          length,
          snr,
          random_length,
          snrs,
          lengths,
          limit,
          parameter(ParameterType::kInteger, "prompts", "", 20000.0, {100, 1000000, 100, true},
                    "Simulated prompts", "For every dot.", "simulation"),
          dimension};
}

std::vector<Preset> make_presets() {
  const auto argmax = std::string("argmax");
  const auto by_length = std::string("length");
  return {
      {"figure-2-spiked",
       "Figure 2, spiked",
       "arXiv 2509.21936, Figure 2 and Proposition 4.2",
       "Two tokens: softmax at its best scale is the Bayes estimator; the others stay above.",
       {}},
      {"figure-2-max",
       "Figure 2, max",
       "arXiv 2509.21936, Figure 2, max-SLR with ν = ∞",
       "The needle is the largest score: softmax goes to 0, linear attention to 1, and no "
       "element-wise one below (L − 1)/(2L − 1).",
       {{"model", argmax}, {"sweep", by_length}}},
      {"figure-2-random-length",
       "Figure 2, random length",
       "arXiv 2509.21936, Figure 2, L uniform on 1, 2, 3",
       "Softmax adapts to the length of each prompt; linear attention sees the mean length only.",
       {{"randomLength", true}}},
      {"rates",
       "The two rates",
       "arXiv 2509.21936, Corollary 4.3",
       "Softmax falls like e^{−ν/4}, linear attention like L/ν.",
       {{"length", 3.0}, {"snrs", std::vector<double>{1, 2, 4, 6, 9, 12, 16, 20, 25, 30, 36, 42}}}},
      {"finite-max",
       "max with finite ν",
       "arXiv 2509.21936, max-SLR",
       "The needle is drawn by softmax(ν score); the best scale is ν itself.",
       {{"model", std::string("max")}, {"snrs", std::vector<double>{0.5, 1, 2, 3, 4, 6, 8}}}}};
}

std::vector<TableSpec> make_tables() {
  TableSpec points{
      "points",
      "Risks",
      {number_of("x", "", "ν or L along the axis"), number_of("snr", "ν", "ν"),
       number_of("length", "L", "mean length"), number_of("bayes", "", "Bayes risk, theory")}};
  for (const auto& kernel : kRiskKernels) {
    points.columns.push_back(number_of(kernel.name, "", kernel.label + ", theory"));
    points.columns.push_back(number_of(kernel.name + "Played", "", kernel.label + ", simulated"));
    points.columns.push_back(number_of(kernel.name + "Error", "", "one standard error of it"));
    points.columns.push_back(number_of(kernel.name + "Scale", "", kernel.label + ", best scale"));
  }
  return {points,
          {"rates",
           "Laws for large ν, and the element-wise bound",
           {number_of("x", "", "ν or L along the axis"), number_of("bayes", "", "Bayes risk"),
            number_of("softmaxLaw", "", "(L − 1) √(π/(4ν)) e^{−ν/4}"),
            number_of("linearLaw", "", "L/ν"), number_of("elementwise", "", "(L − 1)/(2L − 1)")}},
          {"summary",
           "At the right end",
           {number_of("snr", "ν", "ν"), number_of("length", "L", "mean length"),
            number_of("bayes", "", "Bayes risk"), number_of("softmax", "", "softmax"),
            number_of("linear", "", "linear"), number_of("softmaxScale", "", "softmax, best scale"),
            number_of("posteriorScale", "", "its predicted scale")}}};
}

void add_kernels(Figure& figure, bool all) {
  Mark bayes = theory_line("points", "x", "bayes", "Bayes", Standing::kDerived,
                           "arXiv 2509.21936, Section 4: 1 − E Σ p²; quadrature");
  bayes.colour = "bayes";
  figure.marks.push_back(bayes);
  for (const auto& kernel : kRiskKernels) {
    if (!all && (kernel.name == "relu" || kernel.name == "centredLinear")) continue;
    const bool closed = kernel.name == "linear" || kernel.name == "centredLinear";
    figure.marks.push_back(
        with_colour(theory_line("points", "x", kernel.name, kernel.label, Standing::kDerived,
                                closed ? "1 − A²/B at its minimum, in closed form"
                                       : "1 − A²/B at its minimum, by quadrature"),
                    kernel.colour));
    figure.marks.push_back(
        with_colour(simulated_dots("points", "x", kernel.name + "Played", kernel.name + "Error",
                                   kernel.label + ", simulated"),
                    kernel.colour));
  }
}

Figure risk_figure(const std::string& sweep) {
  Figure figure;
  figure.name = "risk-" + sweep;
  figure.label = "Risk at the best parameters";
  figure.caption =
      "Excess mean squared error; an answer of 0 has risk 1. Lines: theory. Dots: the same "
      "predictors on {prompts} drawn prompts, with one standard error. At the right end softmax "
      "reaches {summary.softmax} at scale {summary.softmaxScale}, the Bayes risk is "
      "{summary.bayes}.";
  figure.x = sweep == "snr" ? Axis{"strength of the hint", "ν", "", false}
                            : Axis{"tokens in the prompt", "L", "", true};
  figure.y = {"excess risk", "", "", false};
  figure.shown_when = {"sweep", {sweep}};
  add_kernels(figure, false);
  if (sweep == "length")
    figure.marks.push_back(with_role(
        theory_line("rates", "x", "elementwise", "any element-wise attention, at least",
                    Standing::kDerived, "σ = Φ^{L−1} is the best element-wise attention at ν = ∞"),
        Role::kBound));
  return figure;
}

Figure rate_figure() {
  Figure figure;
  figure.name = "rates";
  figure.label = "The two rates";
  figure.caption =
      "The same on a logarithmic axis. Dashed: (L − 1) √(π/(4ν)) e^{−ν/4} for softmax and L/ν for "
      "linear attention, where they are within a factor of two. Summaries that give linear "
      "attention "
      "(L/(L − 1))/ν agree with L/ν at L = 2 only, and (L − 1)/ν belongs to the centred weights 1 "
      "+ "
      "χ − mean χ, drawn here too.";
  figure.x = {"strength of the hint", "ν", "", false};
  figure.y = {"excess risk", "", "", true};
  figure.shown_when = {"sweep", {"snr"}};
  add_kernels(figure, true);
  figure.marks.push_back(with_colour(
      with_role(
          theory_line("rates", "x", "softmaxLaw", "softmax, large ν", Standing::kDerived,
                      "exponent: arXiv 2509.21936, Corollary 4.3; factor by Laplace's method"),
          Role::kBound),
      "softmax"));
  figure.marks.push_back(
      with_colour(with_role(theory_line("rates", "x", "linearLaw", "linear, large ν",
                                        Standing::kDerived, "limit of L(L − 1)/(L² + (L − 1)ν)"),
                            Role::kBound),
                  "linear"));
  return figure;
}

}  // namespace

const Descriptor& needle_population_risk_descriptor() {
  static const Descriptor kDescriptor = [] {
    Descriptor d(kNeedlePopulationRisk);
    d.title = "Why does softmax beat linear attention at retrieval?";
    d.summary =
        "Risks at the best parameters: softmax is the Bayes estimator and falls exponentially, "
        "linear attention like 1/ν.";
    d.answer =
        "At ν = {summary.snr} and L = {summary.length} softmax has risk {summary.softmax}, linear "
        "attention {summary.linear}; no estimator can have less than {summary.bayes}.";
    d.source = "arXiv 2509.21936, Section 4";
    d.parameters = make_parameters();
    d.presets = make_presets();
    d.tables = make_tables();
    d.figures = {risk_figure("snr"), risk_figure("length"), rate_figure()};
    return d;
  }();
  return kDescriptor;
}

}  // namespace attnlab::experiments

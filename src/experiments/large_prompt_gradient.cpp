// large-prompt.gradient: the tilted covariance and the gradients over n tokens.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "core/portable.h"
#include "experiments/describe.h"
#include "experiments/parameters.h"
#include "experiments/prompt_sweep.h"
#include "experiments/registry.h"
#include "experiments/slope.h"
#include "experiments/table_rows.h"

namespace attnlab::experiments {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kLateFrom = 1024;
enum Quantity : std::size_t { kMean, kCovariance, kQuantityCount };

constexpr Identity kLargePromptGradient = {"large-prompt.gradient", "large-prompt", 20};
const Descriptor& descriptor();

class GradientPlan final : public Plan {
 public:
  GradientPlan(const Values& values, std::uint64_t seed) {
    auto sweep = std::make_shared<PromptSweep>();
    sweep->sources = token_sources(values, seed);
    sweep->magnitudes = numbers(values, "magnitudes");
    plan_sizes(*sweep, count(values, "largestCount"), count(values, "replicates"));
    sweep->blocks = std::max<Index>(1, count(values, "replicates") / 4);
    sweep->seed = seed;
    sweep->covariances = true;
    sweep->quantities = kQuantityCount;
    sweep->measure_prompt = [](const measure::PromptSummary& prompt, const measure::Tilted& limit,
                               Index, double* out) {
      out[kMean] = (prompt.mean - limit.mean).squaredNorm();
      out[kCovariance] = (prompt.covariance - limit.covariance).squaredNorm();
    };
    for (const auto& source : sweep->sources) {
      for (const double magnitude : sweep->magnitudes)
        if (!source.measure->contains(2 * magnitude * source.direction))
          fail(ErrorCode::kDomain, "magnitudes",
               show(magnitude) + " is outside of the domain: Λ(2a) is infinite");
    }
    sweep_ = std::move(sweep);
  }

  std::size_t task_count() const override { return sweep_task_count(*sweep_); }
  std::unique_ptr<Task> task(std::size_t number) const override {
    return sweep_task(sweep_, number);
  }

  Tables summarise(std::span<const Record> records) const override {
    const SweepTotals totals(*sweep_, records);
    TableRows points(descriptor(), "points");
    TableRows curves(descriptor(), "curves");
    TableRows summary(descriptor(), "summary");
    for (std::size_t s = 0; s < sweep_->sources.size(); ++s)
      for (std::size_t k = 0; k < sweep_->magnitudes.size(); ++k)
        add_curve(s, k, totals, points, curves, summary);
    return {points.take(), curves.take(), summary.take()};
  }

 private:
  bool is_told(std::size_t s, std::size_t k) const {
    const auto& sizes = sweep_->magnitudes;
    const auto nearest = std::min_element(sizes.begin(), sizes.end(), [](double x, double y) {
      return std::fabs(x - 1) < std::fabs(y - 1);
    });
    return s == 0 && k == static_cast<std::size_t>(nearest - sizes.begin());
  }

  void add_curve(std::size_t s, std::size_t k, const SweepTotals& totals, TableRows& points,
                 TableRows& curves, TableRows& summary) const {
    const TokenSource& source = sweep_->sources[s];
    const double magnitude = sweep_->magnitudes[k];
    const Vector a = magnitude * source.direction;
    const auto d = static_cast<double>(source.dimension);
    const auto found = measure::constants(*source.measure, a,
                                          Matrix::Identity(source.dimension, source.dimension));
    const double exponent = -portable::log(found.effective_sample_share);
    const double law_from = 10 * portable::exp(2 * exponent);
    const double frozen_below = portable::exp(measure::freezing_exponent(*source.measure, a));
    std::string name = "|a| = " + show(magnitude);
    if (sweep_->sources.size() > 1) name += ", d = " + std::to_string(source.dimension);
    std::vector<double> ns, rms, error;
    for (std::size_t i = 0; i < sweep_->sizes.size(); ++i) {
      const auto n = static_cast<double>(sweep_->sizes[i]);
      const Estimate covariance = totals.at(s, i, k, kCovariance).root();
      const Estimate mean = totals.at(s, i, k, kMean).root();
      const double law = std::sqrt(found.covariance / n);
      const bool holds = n >= law_from;
      // Dashed: the same formula where its higher orders are not small, if it says anything.
      const bool early = n >= frozen_below && n / 2 < law_from && law * law < 10 * d;
      points.add({name, magnitude, d, n, covariance.value, covariance.error, holds ? law : kNaN,
                  early ? law : kNaN, mean.value, mean.error,
                  holds ? std::sqrt(found.output / n) : kNaN, covariance.value / std::sqrt(d),
                  covariance.error / std::sqrt(d), holds ? law / std::sqrt(d) : kNaN,
                  totals.at(s, i, k, kMean).count});
      ns.push_back(n);
      rms.push_back(covariance.value);
      error.push_back(covariance.error);
    }
    const Slope late = log_slope(ns, rms, error, kLateFrom);
    const Slope all = log_slope(ns, rms, error, 0);
    curves.add({name, magnitude, d, exponent, found.covariance, found.output, late.value,
                late.error, all.value, all.error, law_from});
    if (is_told(s, k))
      summary.add({name, magnitude, d, ns.back(), rms.back(), error.back(),
                   std::sqrt(found.covariance / ns.back()), late.value, late.error});
  }

  std::shared_ptr<const PromptSweep> sweep_;
};

Figure figure_of(const char* name, const char* label, const char* caption, const char* axis) {
  Figure figure;
  figure.name = name;
  figure.label = label;
  figure.caption = caption;
  figure.x = {"tokens in the prompt", "n", "tokens", true};
  figure.y = {axis, "", "", true};
  return figure;
}

std::vector<Figure> make_figures() {
  const char* covariance_source =
      "n E|C_n − ∇²Λ(a)|² → e^q E_{2a}|(x − m)(x − m)ᵀ − ∇²Λ(a)|², derived by the delta method";
  Figure covariance = figure_of(
      "covariance", "Distance of the tilted covariance from its limit",
      "Dots: root mean square of |C_n − ∇²Λ(a)| (Frobenius), with one standard error. Lines: "
      "√(constant / n) with the derived constant, solid for n ≥ 10 e^{2q}, dotted before. The "
      "covariance is what the gradient of U is made of: it settles at the same rate as the output, "
      "with a larger constant and later.",
      "RMS error of C_n");
  covariance.marks = {
      theory_line("points", "tokenCount", "theory", "{series}", Standing::kDerived,
                  covariance_source, "curve"),
      with_role(theory_line("points", "tokenCount", "early", "{series}, before the law holds",
                            Standing::kDerived, covariance_source, "curve"),
                Role::kReference),
      simulated_dots("points", "tokenCount", "covariance", "covarianceError", "{series}, simulated",
                     "curve")};
  Figure value = figure_of(
      "value", "Gradient of V",
      "For an output gradient g of length one the gradient of V is g m_nᵀ: its error is that of "
      "the output.",
      "RMS error of the V-gradient");
  value.marks = {theory_line("points", "tokenCount", "valueTheory", "{series}", Standing::kDerived,
                             "the constant of the output", "curve"),
                 simulated_dots("points", "tokenCount", "value", "valueError",
                                "{series}, simulated", "curve")};
  Figure query = figure_of(
      "query", "Gradient of U",
      "For V = I, |z| = 1 and g of length one in a uniformly random direction the gradient of U is "
      "(C_n g) zᵀ: its mean square error is |C_n − ∇²Λ(a)|² / d.",
      "RMS error of the U-gradient");
  query.marks = {theory_line("points", "tokenCount", "queryTheory", "{series}", Standing::kDerived,
                             covariance_source, "curve"),
                 simulated_dots("points", "tokenCount", "query", "queryError",
                                "{series}, simulated", "curve")};
  return {covariance, value, query};
}

Descriptor make_descriptor() {
  Descriptor result(kLargePromptGradient);
  result.title = "Do the gradients settle as fast as the output?";
  result.summary =
      "The tilted covariance C_n and the gradients of V and U over n tokens, beside their derived "
      "constants.";
  result.answer =
      "With {summary.tokenCount} tokens and |a| = {summary.magnitude} the tilted covariance is "
      "{summary.covariance} ± {summary.covarianceError} from its limit (derived: "
      "{summary.theory})[; from 1024 tokens on the error falls with slope {summary.slope} ± "
      "{summary.slopeError}].";
  result.source = "arXiv 2512.11784, Assumption 3.3 and Proposition 3.4";
  Parameter magnitudes = parameter(
      ParameterType::kNumbers, "magnitudes", "|a|", std::vector<double>{0.25, 0.5, 1, 2},
      {0.01, 6, 0.05}, "Sizes of a", "a = U z is the query as the tokens see it.", "query");
  magnitudes.maximum_count = 5;
  result.parameters.push_back(magnitudes);
  for (auto& p : independent_token_parameters())
    result.parameters.push_back(p);
  result.parameters.push_back(parameter(
      ParameterType::kInteger, "largestCount", "n", 16384.0, {64, 131072, 0, true},
      "Longest prompt", "Prompts have 16, 32, 64, … tokens up to this many.", "simulation"));
  Parameter replicates =
      parameter(ParameterType::kInteger, "replicates", "R", 120.0, {4, 4000, 4, true},
                "Prompts of the longest size",
                "Shorter prompts are drawn more often, up to 64 times as many.", "simulation");
  replicates.rare = true;
  result.parameters.push_back(replicates);
  result.presets = {
      {"magnitudes",
       "Four sizes of a",
       "arXiv 2512.11784, Proposition 3.4",
       "At d = 5 the U-gradient settles like 1/√n, later than the output.",
       {}},
      {"dimensions",
       "Three dimensions",
       "arXiv 2512.11784, Proposition 3.4",
       "The constant is e^q ((d + q)² + 2q + d): it grows like d².",
       {{"magnitudes", std::vector<double>{0.5}}, {"dimensions", std::vector<double>{2, 5, 10}}}},
      {"sphere",
       "Tokens on a sphere",
       "derived, Bessel ratios",
       "Bounded tokens: smaller constants, the same rate.",
       {{"source", std::string("sphere")}}},
      {"text",
       "A text",
       "arXiv 2512.11784, Proposition 3.4; derived constants",
       "Words of a text in five principal components.",
       {{"source", std::string("text")},
        {"magnitudes", std::vector<double>{0.25, 0.5, 1, 2}},
        {"largestCount", 8192.0}}}};
  const Column curve = text_of("curve", "curve");
  const Column magnitude = number_of("magnitude", "|a|", "size of a");
  const Column dimension = number_of("dimension", "d", "dimension");
  const Column tokens{"tokenCount", "n", "tokens", "tokens in the prompt", ColumnType::kNumber};
  const Column covariance = number_of("covariance", "", "RMS of |C_n − ∇²Λ(a)|, simulated");
  const Column covariance_error = number_of("covarianceError", "", "one standard error of it");
  const Column slope = number_of("slope", "", "slope of its logarithm, n ≥ 1024");
  const Column slope_error = number_of("slopeError", "", "one standard error of it");
  result.tables = {
      {"points",
       "Errors against n",
       {curve, magnitude, dimension, tokens, covariance, covariance_error,
        number_of("theory", "", "√(constant / n), n ≥ 10 e^{2q}"),
        number_of("early", "", "the same formula before it holds"),
        number_of("value", "", "RMS error of the V-gradient, simulated"),
        number_of("valueError", "", "one standard error of it"),
        number_of("valueTheory", "", "derived"),
        number_of("query", "", "RMS error of the U-gradient, simulated"),
        number_of("queryError", "", "one standard error of it"),
        number_of("queryTheory", "", "derived"), number_of("prompts", "R", "prompts drawn")}},
      {"curves",
       "Constants and slopes",
       {curve,
        magnitude,
        dimension,
        number_of("exponent", "q", "Λ(2a) − 2Λ(a)"),
        number_of("constant", "", "limit of n E|C_n − ∇²Λ(a)|²"),
        number_of("outputConstant", "", "limit of n E|m_n − T(a)|²"),
        slope,
        slope_error,
        number_of("slopeAll", "", "slope, all n"),
        number_of("slopeAllError", "", "one standard error of it"),
        {"lawFrom", "", "tokens", "1/√n law from", ColumnType::kNumber}}},
      {"summary",
       "The curve with |a| nearest to 1",
       {curve, magnitude, dimension, tokens, covariance, covariance_error,
        number_of("theory", "", "√(constant / n)"), slope, slope_error}}};
  result.figures = make_figures();
  result.resources = token_source_resources();
  return result;
}

const Descriptor& descriptor() {
  static const Descriptor instance = make_descriptor();
  return instance;
}

std::unique_ptr<Plan> prepare(const Values& values, std::uint64_t seed) {
  return std::make_unique<GradientPlan>(values, seed);
}

const Registration kRegistration(kLargePromptGradient, descriptor, prepare);

}  // namespace
}  // namespace attnlab::experiments

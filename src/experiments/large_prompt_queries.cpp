// large-prompt.queries: the squared error averaged over Gaussian queries, and its exponent.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "core/portable.h"
#include "core/random.h"
#include "experiments/describe.h"
#include "experiments/early_and_late.h"
#include "experiments/moments.h"
#include "experiments/parameters.h"
#include "experiments/registry.h"
#include "experiments/slope.h"
#include "experiments/table_rows.h"
#include "measure/finite_prompt.h"
#include "measure/query_law.h"

namespace attnlab::experiments {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kLateFrom = 1024;
constexpr std::uint64_t kTokenStream = 0x71;
constexpr Index kTokensPerStep = 16384;

constexpr Identity kLargePromptQueries = {"large-prompt.queries", "large-prompt", 40};
const Descriptor& descriptor();

struct Setting {
  Index dimension;
  std::vector<double> strengths;  // s^2
  std::vector<Index> sizes;
  std::vector<Index> replicates;
  Index blocks;
  std::uint64_t seed;
};

// One block of prompts of every size. Each prompt has a query direction of its own; the strengths
// share prompt and query.
class QueryTask final : public Task {
 public:
  QueryTask(const Setting& setting, Index block)
      : setting_(setting),
        block_(block),
        moments_(setting.sizes.size() * setting.strengths.size()) {
    replicate_ = begin();
  }

  bool step() override {
    Index left = kTokensPerStep;
    while (left > 0) {
      while (size_ < setting_.sizes.size() && replicate_ >= end()) {
        ++size_;
        if (size_ < setting_.sizes.size()) replicate_ = begin();
      }
      if (size_ == setting_.sizes.size()) return true;
      one_prompt();
      left -= setting_.sizes[size_];
      ++replicate_;
    }
    return false;
  }

  double progress() const override {
    return static_cast<double>(size_) / static_cast<double>(setting_.sizes.size());
  }

  Record record() const override {
    Record record;
    for (const auto& moments : moments_) {
      record.push_back(moments.count);
      record.push_back(moments.sum);
      record.push_back(moments.squares);
    }
    return record;
  }

 private:
  Index begin() const { return setting_.replicates[size_] * block_ / setting_.blocks; }
  Index end() const { return setting_.replicates[size_] * (block_ + 1) / setting_.blocks; }

  void one_prompt() {
    const Index n = setting_.sizes[size_];
    RandomStream random(setting_.seed, stream_of({kTokenStream, static_cast<std::uint64_t>(n),
                                                  static_cast<std::uint64_t>(replicate_)}));
    const Vector z = random.gaussian_vector(setting_.dimension);
    const double length = z.norm();
    std::vector<double> magnitudes;
    for (const double strength : setting_.strengths)
      magnitudes.push_back(std::sqrt(strength) * length);
    measure::FinitePrompt prompt(z / length, magnitudes, false);
    constexpr Index kRows = 4096;
    for (Index read = 0; read < n; read += kRows)
      prompt.add(random.gaussian_matrix(std::min(kRows, n - read), setting_.dimension));
    for (std::size_t k = 0; k < magnitudes.size(); ++k) {
      const Vector limit = (magnitudes[k] / length) * z;
      moments_[size_ * magnitudes.size() + k].add((prompt.summary(k).mean - limit).squaredNorm());
    }
  }

  const Setting& setting_;
  Index block_;
  std::vector<Moments> moments_;
  std::size_t size_ = 0;
  Index replicate_ = 0;
};

class QueryPlan final : public Plan {
 public:
  QueryPlan(const Values& values, std::uint64_t seed) {
    setting_.dimension = count(values, "dimension");
    setting_.strengths = numbers(values, "strengths");
    setting_.seed = seed;
    const Index replicates = count(values, "replicates");
    for (Index n = 64; n <= count(values, "largestCount"); n *= 2)
      setting_.sizes.push_back(n);
    for (const Index n : setting_.sizes)
      setting_.replicates.push_back(replicates * std::min<Index>(setting_.sizes.back() / n, 32));
    setting_.blocks = std::max<Index>(1, replicates / 10);
  }

  std::size_t task_count() const override { return static_cast<std::size_t>(setting_.blocks); }
  std::unique_ptr<Task> task(std::size_t number) const override {
    return std::make_unique<QueryTask>(setting_, static_cast<Index>(number));
  }

  Tables summarise(std::span<const Record> records) const override {
    const std::size_t width = setting_.sizes.size() * setting_.strengths.size();
    std::vector<Moments> totals(width);
    for (const auto& record : records)
      for (std::size_t i = 0; i < width && !record.empty(); ++i)
        totals[i].add(Moments{record[3 * i], record[3 * i + 1], record[3 * i + 2]});
    TableRows points(descriptor(), "points");
    TableRows exponents(descriptor(), "exponents");
    TableRows theory(descriptor(), "theory");
    for (std::size_t k = 0; k < setting_.strengths.size(); ++k)
      add_curve(k, totals, points, exponents);
    for (int i = 1; i <= 100; ++i) {
      const double strength = 0.05 * i;
      theory.add({strength, -measure::gaussian_query_exponent(strength), -1.0});
    }
    return {points.take(), exponents.take(), theory.take()};
  }

 private:
  void add_curve(std::size_t k, const std::vector<Moments>& totals, TableRows& points,
                 TableRows& exponents) const {
    const double strength = setting_.strengths[k];
    const std::string name = "s² = " + show(strength);
    const double constant = measure::gaussian_query_constant(setting_.dimension, strength);
    const double exponent = measure::gaussian_query_exponent(strength);
    std::vector<double> ns, means, errors;
    for (std::size_t i = 0; i < setting_.sizes.size(); ++i) {
      const auto& moments = totals[i * setting_.strengths.size() + k];
      const Estimate mean = moments.mean();
      const auto n = static_cast<double>(setting_.sizes[i]);
      ns.push_back(n);
      means.push_back(mean.value);
      errors.push_back(mean.error);
    }
    // Where no 1 / n law holds only the slope is known: the guide goes through the first dot.
    const double anchor = means.front() * portable::pow(ns.front(), exponent);
    const auto holds = [&](double n) {
      return measure::gaussian_query_early_share(setting_.dimension, strength, n) <
             measure::kSmallEarlyShare;
    };
    for (std::size_t i = 0; i < ns.size(); ++i) {
      const bool lawful = std::isfinite(constant);
      const EarlyAndLate law =
          early_and_late(constant / ns[i], holds(ns[i]), i == 0 || holds(ns[i - 1]), lawful);
      points.add({name, strength, ns[i], means[i], errors[i], law.late, law.early,
                  lawful ? kNaN : anchor * portable::pow(ns[i], -exponent),
                  totals[i * setting_.strengths.size() + k].count});
    }
    const Slope slope = log_slope(ns, means, errors, kLateFrom);
    exponents.add({name, strength, slope.value, slope.error, -exponent, constant});
  }

  Setting setting_;
};

Descriptor make_descriptor() {
  const char* exponent_source =
      "derived, heuristic: large deviations of the random-energy kind, up to logarithms";
  Descriptor result(kLargePromptQueries);
  result.title = "Does the error fall as 1/√n for random queries?";
  result.summary =
      "Averaged over Gaussian queries the squared error falls as 1/n only while s² < 1/2; beyond, "
      "its exponent shrinks with the strength of the query.";
  result.answer =
      "For s² = {exponents.strength} the limit exponent of the mean squared error is "
      "{exponents.theory}[; from 1024 tokens on it falls as n to the power {exponents.slope} ± "
      "{exponents.slopeError}]. Beyond s² = 1/2 rare long queries, whose softmax is still frozen, "
      "carry the average.";
  result.source = "arXiv 2512.11784, Proposition 3.1";
  Parameter strengths =
      parameter(ParameterType::kNumbers, "strengths", "s²", std::vector<double>{0.25, 0.5, 1, 2, 4},
                {0.01, 16, 0.05}, "Strengths of the query",
                "a = s z with z ~ N(0, I): s² is the largest eigenvalue of Uᵀ Γ U.", "query");
  strengths.maximum_count = 6;
  Parameter replicates =
      parameter(ParameterType::kInteger, "replicates", "R", 400.0, {20, 20000, 20, true},
                "Queries at the longest size",
                "Shorter prompts are drawn more often, up to 32 times as many.", "simulation");
  replicates.rare = true;
  result.parameters = {
      strengths,
      parameter(ParameterType::kInteger, "dimension", "d", 1.0, {1, 16, 1}, "Dimension",
                "Coordinates of a token; tokens are N(0, I).", "tokens"),
      parameter(ParameterType::kInteger, "largestCount", "n", 16384.0, {256, 131072, 0, true},
                "Longest prompt", "Prompts have 64, 128, … tokens up to this many.", "simulation"),
      replicates};
  result.presets = {{"exponents",
                     "Five strengths",
                     "arXiv 2512.11784, Proposition 3.1",
                     "The bound on the squared error is L^{−c/σ²}, not 1/L: the slopes show it.",
                     {}},
                    {"lawful",
                     "Where 1/n holds",
                     "derived constant",
                     "d = 5 and s² well below 1/2: the dots lie on the derived line.",
                     {{"strengths", std::vector<double>{0.05, 0.1, 0.2}}, {"dimension", 5.0}}}};
  result.tables = {
      {"points",
       "Mean squared error against n",
       {text_of("curve", "curve"),
        number_of("strength", "s²", "strength of the query"),
        {"tokenCount", "n", "tokens", "tokens in the prompt", ColumnType::kNumber},
        number_of("squaredError", "", "mean of |m_n − T(a)|² over queries, simulated"),
        number_of("squaredErrorError", "", "one standard error of it"),
        number_of("theory", "", "constant / n, s² < 1/2"),
        number_of("early", "", "the same formula before it holds"),
        number_of("guide", "", "slope n^{−E} through the first dot, s² ≥ 1/2"),
        number_of("prompts", "R", "queries drawn")}},
      {"exponents",
       "Slopes",
       {text_of("curve", "curve"), number_of("strength", "s²", "strength of the query"),
        number_of("slope", "", "slope of the log of the mean squared error, n ≥ 1024"),
        number_of("slopeError", "", "one standard error of it"),
        number_of("theory", "−E", "limit exponent"),
        number_of("constant", "",
                  "limit of n times the mean squared error, infinite from s² = ½ on")}},
      {"theory",
       "Exponent against strength",
       {number_of("strength", "s²", "strength of the query"),
        number_of("exponent", "−E", "limit exponent"),
        number_of("rate", "", "exponent of a 1/√n law")}}};
  Figure error;
  error.name = "error";
  error.label = "Mean squared error over Gaussian queries";
  error.caption =
      "Dots: mean of |m_n − T(a)|² over queries a = s z, with one standard error; the mean is "
      "heavy-tailed, so for s² ≥ 1/2 even many queries may miss the largest errors. Solid lines: "
      "the derived constant over n, for s² < 1/2, dotted where a quarter of it or more comes from "
      "queries with n < 10 e^{2q}, whose error is not that large yet. Dotted too: only the slope "
      "n^{−E}, "
      "E = (√(1 + 4/s²) − 1)/2, drawn through the first dot; finite n comes near it from below, "
      "slowly. The paper bounds this squared error by L^{−c/σ²}; a summary that promises 1/√n for "
      "every query law is wrong beyond s² = 1/2.";
  error.x = {"tokens in the prompt", "n", "tokens", true};
  error.y = {"mean squared error", "", "", true};
  error.marks = {
      theory_line("points", "tokenCount", "theory", "{series}", Standing::kDerived,
                  "d (1 − 2s²)^{−d/2} + s² d (1 − 2s²)^{−d/2−1}, derived", "curve"),
      with_role(theory_line("points", "tokenCount", "early", "{series}, before the law holds",
                            Standing::kDerived,
                            "d (1 − 2s²)^{−d/2} + s² d (1 − 2s²)^{−d/2−1}, derived", "curve"),
                Role::kReference),
      with_role(theory_line("points", "tokenCount", "guide", "{series}, slope only",
                            Standing::kHeuristic, exponent_source, "curve"),
                Role::kReference),
      simulated_dots("points", "tokenCount", "squaredError", "squaredErrorError",
                     "{series}, simulated", "curve")};
  Figure exponent;
  exponent.name = "exponent";
  exponent.label = "Exponent against the strength of the query";
  exponent.caption =
      "Line: the limit exponent −E of the mean squared error. Dots: fitted slopes for n ≥ 1024. "
      "Dotted: −1, what a 1/√n law of the error would be.";
  exponent.x = {"strength of the query", "s²", "", false};
  exponent.y = {"exponent of n", "", "", false};
  exponent.marks = {
      theory_line("theory", "strength", "exponent", "limit exponent", Standing::kHeuristic,
                  exponent_source),
      with_role(theory_line("theory", "strength", "rate", "a 1/√n law", Standing::kNone, ""),
                Role::kReference),
      simulated_dots("exponents", "strength", "slope", "slopeError", "fitted slopes, n ≥ 1024")};
  result.figures = {error, exponent};
  return result;
}

const Descriptor& descriptor() {
  static const Descriptor instance = make_descriptor();
  return instance;
}

std::unique_ptr<Plan> prepare(const Values& values, std::uint64_t seed) {
  return std::make_unique<QueryPlan>(values, seed);
}

const Registration kRegistration(kLargePromptQueries, descriptor, prepare);

}  // namespace
}  // namespace attnlab::experiments

// large-prompt.taylor: softmax attention with a cut-off exponential.
#include <algorithm>
#include <cmath>
#include <limits>

#include "attention/taylor.h"
#include "core/error.h"
#include "core/portable.h"
#include "core/random.h"
#include "experiments/describe.h"
#include "experiments/moments.h"
#include "experiments/parameters.h"
#include "experiments/registry.h"
#include "experiments/table_rows.h"

namespace attnlab::experiments {
namespace {

constexpr std::uint64_t kDataStream = 0x72;
constexpr Index kQueriesPerStep = 10;

constexpr Identity kLargePromptTaylor = {"large-prompt.taylor", "large-prompt", 60};
const Descriptor& descriptor();

struct Setting {
  Index tokens;
  Index dimension;
  std::vector<double> scales;
  Index largest_order;
  Index queries;  // a prompt
  Index prompts;
  bool values_are_keys;
  std::uint64_t seed;
};

// One prompt, all scales and orders: for every query the powers of a score are summed once, and
// every order is read off on the way.
class TaylorTask final : public Task {
 public:
  TaylorTask(const Setting& setting, std::size_t number) : setting_(setting) {
    RandomStream random(setting.seed, stream_of({kDataStream, number}));
    keys_ = random.gaussian_matrix(setting.tokens, setting.dimension);
    values_ =
        setting.values_are_keys ? keys_ : random.gaussian_matrix(setting.tokens, setting.dimension);
    queries_ = random.gaussian_matrix(setting.queries, setting.dimension);
    const auto orders = static_cast<std::size_t>(setting.largest_order);
    squares_.resize(setting.scales.size() * orders);
    bad_.assign(squares_.size(), 0);
    asked_.assign(setting.scales.size(), 0);
    largest_.assign(setting.scales.size(), 0);
  }

  bool step() override {
    for (Index q = 0; q < kQueriesPerStep && next_ < setting_.queries; ++q, ++next_)
      for (std::size_t s = 0; s < setting_.scales.size(); ++s)
        one_query(s, queries_.row(next_).transpose());
    return next_ >= setting_.queries;
  }
  double progress() const override {
    return static_cast<double>(next_) / static_cast<double>(setting_.queries);
  }
  Record record() const override {
    Record record(asked_.begin(), asked_.end());
    record.insert(record.end(), largest_.begin(), largest_.end());
    for (std::size_t i = 0; i < squares_.size(); ++i) {
      record.push_back(squares_[i].count);
      record.push_back(squares_[i].sum);
      record.push_back(squares_[i].squares);
      record.push_back(bad_[i]);
    }
    return record;
  }

 private:
  void one_query(std::size_t s, const Vector& query) {
    const Index n = setting_.tokens;
    const auto p = static_cast<double>(values_.cols());
    const Vector scores =
        (setting_.scales[s] / std::sqrt(static_cast<double>(setting_.dimension))) * (keys_ * query);
    const double top = scores.maxCoeff();
    Vector exact = Vector::Zero(values_.cols());
    double weight = 0;
    for (Index j = 0; j < n; ++j) {
      const double w = portable::exp(scores(j) - top);
      weight += w;
      exact += w * values_.row(j).transpose();
    }
    exact /= weight;
    // Terms of degree k of every token; sums over tokens of E_k and of E_k values.
    Vector term = Vector::Ones(n);
    double denominator = static_cast<double>(n);
    Vector numerator = values_.colwise().sum().transpose();
    const auto orders = static_cast<std::size_t>(setting_.largest_order);
    for (std::size_t k = 1; k <= orders; ++k) {
      term = term.cwiseProduct(scores) / static_cast<double>(k);
      denominator += term.sum();
      numerator += values_.transpose() * term;
      const std::size_t place = s * orders + k - 1;
      if (denominator > 0) {
        squares_[place].add((numerator / denominator - exact).squaredNorm() / p);
      } else {
        bad_[place] += 1;
      }
    }
    asked_[s] += 1;
    largest_[s] = std::max(largest_[s], scores.cwiseAbs().maxCoeff());
  }

  const Setting& setting_;
  Matrix keys_, values_, queries_;
  std::vector<Moments> squares_;  // scale, order
  std::vector<double> bad_;       // queries whose denominator is not positive
  std::vector<double> asked_;     // queries asked, a scale
  std::vector<double> largest_;   // largest |score|, a scale
  Index next_ = 0;
};

class TaylorPlan final : public Plan {
 public:
  TaylorPlan(const Values& values, std::uint64_t seed)
      : setting_{count(values, "tokenCount"),      count(values, "dimension"),
                 numbers(values, "scales"),        count(values, "largestOrder"),
                 count(values, "queries"),         count(values, "prompts"),
                 text(values, "values") == "keys", seed} {}

  std::size_t task_count() const override { return static_cast<std::size_t>(setting_.prompts); }
  std::unique_ptr<Task> task(std::size_t number) const override {
    return std::make_unique<TaylorTask>(setting_, number);
  }

  Tables summarise(std::span<const Record> records) const override {
    const std::size_t scales = setting_.scales.size();
    const auto orders = static_cast<std::size_t>(setting_.largest_order);
    std::vector<double> asked(scales, 0), largest(scales, 0), bad(scales * orders, 0);
    std::vector<ClusteredMoments> squares(scales * orders);
    for (const auto& record : records) {
      if (record.empty()) continue;
      for (std::size_t s = 0; s < scales; ++s) {
        asked[s] += record[s];
        largest[s] = std::max(largest[s], record[scales + s]);
      }
      for (std::size_t i = 0; i < squares.size(); ++i) {
        const double* four = &record[2 * scales + 4 * i];
        squares[i].add(Moments{four[0], four[1], four[2]});
        bad[i] += four[3];
      }
    }
    TableRows points(descriptor(), "points");
    TableRows summary(descriptor(), "summary");
    for (std::size_t s = 0; s < scales; ++s) {
      const std::string name = "scale " + show(setting_.scales[s]);
      for (std::size_t k = 0; k < orders; ++k) {
        const Estimate rms = squares[s * orders + k].root();
        const double share = asked[s] > 0 ? bad[s * orders + k] / asked[s]
                                          : std::numeric_limits<double>::quiet_NaN();
        points.add({name, setting_.scales[s], static_cast<double>(k + 1), rms.value, rms.error,
                    share, bad[s * orders + k]});
      }
      if (s == 0)
        summary.add({setting_.scales[s], largest[s], squares[0].root().value,
                     squares[orders - 1].root().value, static_cast<double>(orders)});
    }
    TableRows gains(descriptor(), "gains");
    for (Index order = 1; order <= 8; ++order)
      for (int i = 0; i <= 40; ++i)
        gains.add({order % 2 == 1 ? std::string("every odd N") : "N = " + std::to_string(order),
                   static_cast<double>(order), 0.1 * i,
                   attention::taylor_gaussian_gain(0.1 * i, order)});
    TableRows zeros(descriptor(), "zeros");
    for (Index order = 1; order <= setting_.largest_order; order += 2)
      zeros.add({static_cast<double>(order), attention::taylor_zero(order)});
    return {points.take(), summary.take(), gains.take(), zeros.take()};
  }

 private:
  Setting setting_;
};

Descriptor make_descriptor() {
  Descriptor result(kLargePromptTaylor);
  result.title = "How many terms of the exponential does attention need?";
  result.summary =
      "Softmax attention with its exponential cut off after N terms can be read token by token "
      "with "
      "a state of fixed size; its error against N, and where its denominator vanishes.";
  result.answer =
      "With scores up to {summary.largestScore} in size, order 1 (linear attention) is "
      "{summary.first} away in root mean square, and order {summary.largestOrder} is "
      "{summary.last} away.";
  result.source = "arXiv 2507.23632";
  Parameter scales =
      parameter(ParameterType::kNumbers, "scales", "", std::vector<double>{1, 2, 4}, {0.1, 10, 0.1},
                "Scales of the scores", "Scores are scale · ⟨q, k⟩ / √d.", "scores");
  scales.maximum_count = 5;
  result.parameters = {
      scales,
      parameter(ParameterType::kInteger, "largestOrder", "N", 24.0, {1, 60, 1}, "Highest order",
                "Orders 1, 2, … up to this one.", "scores"),
      parameter(ParameterType::kInteger, "tokenCount", "n", 256.0, {4, 4096, 0, true},
                "Tokens in the prompt", "Keys are N(0, I).", "prompt"),
      parameter(ParameterType::kInteger, "dimension", "d", 8.0, {1, 64, 1}, "Dimension",
                "Of queries and keys.", "prompt"),
      choice("values", {{"independent", "independent of the keys"}, {"keys", "the keys"}}, "Values",
             "Values equal to the keys have a linear limit; independent ones have the limit 0.",
             "prompt"),
      parameter(ParameterType::kInteger, "queries", "", 50.0, {1, 1000, 0, true},
                "Queries a prompt", "Each prompt is asked this many times.", "simulation"),
      parameter(ParameterType::kInteger, "prompts", "R", 40.0, {1, 1000, 0, true}, "Prompts",
                "Independent prompts; error bars come from them.", "simulation")};
  result.presets = {
      {"order",
       "Error against order",
       "arXiv 2507.23632, Taylor form of softmax attention",
       "The error falls once N passes the largest score; odd orders can lose their denominator.",
       {}},
      {"limit",
       "Near the Gaussian limit",
       "derived, Gaussian limit of the truncated form",
       "Long prompts with values equal to keys: odd orders are as good as linear attention, even "
       "ones shrink the output.",
       {{"tokenCount", 4096.0},
        {"values", std::string("keys")},
        {"dimension", 2.0},
        {"scales", std::vector<double>{0.5, 1}},
        {"largestOrder", 10.0},
        {"prompts", 20.0},
        {"queries", 20.0}}}};
  result.tables = {
      {"points",
       "Error against order",
       {text_of("curve", "curve"), number_of("scale", "", "scale of the scores"),
        number_of("order", "N", "order"),
        number_of("rms", "", "RMS distance from softmax attention, an entry, simulated"),
        number_of("rmsError", "", "one standard error of it"),
        number_of("vanishingShare", "", "share of queries with a denominator ≤ 0"),
        number_of("vanishing", "", "queries with a denominator ≤ 0, left out of the RMS")}},
      {"summary",
       "The first scale",
       {number_of("scale", "", "scale of the scores"),
        number_of("largestScore", "", "largest score in size"),
        number_of("first", "", "RMS distance at order 1"),
        number_of("last", "", "RMS distance at the highest order"),
        number_of("largestOrder", "N", "highest order")}},
      {"gains",
       "Infinite prompt of N(0, I) tokens",
       {text_of("curve", "curve"), number_of("order", "N", "order"),
        number_of("length", "|a|", "size of a"), number_of("gain", "", "output / a")}},
      {"zeros",
       "Real zero of the cut-off exponential",
       {number_of("order", "N", "odd order"), number_of("zero", "", "score at which E_N = 0")}}};
  Figure error;
  error.name = "error";
  error.label = "Distance from softmax attention";
  error.caption =
      "Dots: root mean square over queries and entries, with one standard error. Queries whose "
      "denominator is not positive are left out here and counted in the next figure.";
  error.x = {"order", "N", "", false};
  error.y = {"RMS distance from softmax attention", "", "", true};
  error.marks = {simulated_dots("points", "order", "rms", "rmsError", "{series}", "curve")};
  Figure vanishing;
  vanishing.name = "vanishing";
  vanishing.label = "Where the denominator vanishes";
  vanishing.caption =
      "Share of queries whose denominator is not positive. Even orders are positive everywhere; "
      "odd orders are negative below their one real zero (table), so it takes scores below it.";
  vanishing.x = {"order", "N", "", false};
  vanishing.y = {"share of queries", "", "", false};
  vanishing.marks = {simulated_dots("points", "order", "vanishingShare", "", "{series}", "curve")};
  Figure gain;
  gain.name = "gain";
  gain.label = "In the infinite-prompt limit";
  gain.caption =
      "For N(0, I) tokens the cut-off attention tends to a times this gain. Every odd order gives "
      "exactly softmax attention's a, linear attention too; even orders give less.";
  gain.x = {"size of a", "|a|", "", false};
  gain.y = {"gain", "", "", false};
  gain.marks = {theory_line("gains", "length", "gain", "{series}", Standing::kDerived,
                            "E_k(r²/2) / E_l(r²/2), k = ⌊(N − 1)/2⌋, l = ⌊N/2⌋, derived", "curve")};
  result.figures = {error, vanishing, gain};
  return result;
}

const Descriptor& descriptor() {
  static const Descriptor instance = make_descriptor();
  return instance;
}

std::unique_ptr<Plan> prepare(const Values& values, std::uint64_t seed) {
  return std::make_unique<TaylorPlan>(values, seed);
}

const Registration kRegistration(kLargePromptTaylor, descriptor, prepare);

}  // namespace
}  // namespace attnlab::experiments

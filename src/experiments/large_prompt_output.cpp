// large-prompt.output: how far softmax attention over n tokens is from its infinite-prompt limit.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "core/portable.h"
#include "experiments/large_prompt_output.h"
#include "experiments/parameters.h"
#include "experiments/prompt_sweep.h"
#include "experiments/registry.h"
#include "experiments/slope.h"
#include "experiments/table_rows.h"
#include "measure/autoregressive.h"
#include "measure/frozen.h"

namespace attnlab::experiments {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
// Slopes are read from here on, where the 1/n law holds for |a| up to about 1.
constexpr double kLateFrom = 1024;
enum Quantity : std::size_t { kSquaredError, kSampleShare, kLargestWeight, kQuantityCount };

// What the theory says about one curve: one source at one magnitude.
struct Curve {
  std::string name;
  std::size_t source = 0;
  std::size_t magnitude_number = 0;
  double magnitude = 0;
  Index dimension = 0;
  Vector a;
  // NaN where the theory says nothing: T(a) does not exist, or Lambda(2 a) is infinite.
  bool exists = false;         // T(a)
  double constant = kNaN;      // limit of n E |m_n - T(a)|^2
  double share = kNaN;         // limit of ESS / n
  double exponent = kNaN;      // Lambda(2 a) - 2 Lambda(a); q for a Gaussian
  double frozen_below = kNaN;  // tokens
  double law_from = kNaN;      // tokens
  double nonlinearity = kNaN;
  double reach = kNaN;  // |T(a) - T(0)|
};

Curve make_curve(const PromptSweep& sweep, std::size_t source_number, std::size_t k) {
  const TokenSource& source = sweep.sources[source_number];
  Curve curve;
  curve.source = source_number;
  curve.magnitude_number = k;
  curve.magnitude = sweep.magnitudes[k];
  curve.dimension = source.dimension;
  curve.a = curve.magnitude * source.direction;
  curve.name = "|a| = " + show(curve.magnitude);
  if (sweep.sources.size() > 1) curve.name += ", d = " + std::to_string(source.dimension);
  const measure::Measure& law = *source.measure;
  curve.exists = law.contains(curve.a);
  if (!curve.exists) return curve;
  const measure::Tilted limit = law.tilt(curve.a);
  curve.reach = (limit.mean - law.tilt(Vector::Zero(source.dimension)).mean).norm();
  curve.frozen_below = portable::exp(measure::freezing_exponent(law, curve.a));
  curve.nonlinearity = nonlinearity(law, curve.a);
  if (!law.contains(2 * curve.a)) return curve;
  const auto found =
      measure::constants(law, curve.a, Matrix::Identity(source.dimension, source.dimension));
  curve.share = found.effective_sample_share;
  curve.constant = source.persistence == 0 ? found.output
                                           : measure::autoregressive_output_constant(
                                                 limit.covariance, curve.a, source.persistence);
  curve.exponent = -portable::log(curve.share);
  // Independent tokens that say as much as these.
  const double repeats = (1 + source.persistence) / (1 - source.persistence);
  curve.law_from = 10 * portable::exp(2 * curve.exponent) * repeats;
  return curve;
}

struct Line {
  std::vector<double> n, rms, error;
};

class OutputPlan final : public Plan {
 public:
  OutputPlan(const Values& values, std::uint64_t seed, const Descriptor& descriptor)
      : descriptor_(descriptor), words_(source_text(values)) {
    auto sweep = std::make_shared<PromptSweep>();
    sweep->sources = token_sources(values, seed);
    sweep->magnitudes = numbers(values, "magnitudes");
    plan_sizes(*sweep, count(values, "largestCount"), count(values, "replicates"));
    // A block has about four prompts of the largest size.
    sweep->blocks = std::max<Index>(1, count(values, "replicates") / 4);
    sweep->seed = seed;
    sweep->quantities = kQuantityCount;
    sweep->measure_prompt = [](const measure::PromptSummary& prompt, const measure::Tilted& limit,
                               Index n, double* out) {
      out[kSquaredError] = (prompt.mean - limit.mean).squaredNorm();
      out[kSampleShare] = prompt.effective_sample_size / static_cast<double>(n);
      out[kLargestWeight] = prompt.largest_weight;
    };
    for (std::size_t s = 0; s < sweep->sources.size(); ++s)
      for (std::size_t k = 0; k < sweep->magnitudes.size(); ++k)
        curves_.push_back(make_curve(*sweep, s, k));
    sweep_ = std::move(sweep);
  }

  std::size_t task_count() const override { return sweep_task_count(*sweep_); }
  std::unique_ptr<Task> task(std::size_t number) const override {
    return sweep_task(sweep_, number);
  }

  Tables summarise(std::span<const Record> records) const override {
    const SweepTotals totals(*sweep_, records);
    TableRows points(descriptor_, "points");
    TableRows frozen(descriptor_, "frozen");
    TableRows curves(descriptor_, "curves");
    TableRows summary(descriptor_, "summary");
    TableRows words(descriptor_, "words");
    const Curve& told = told_curve();
    for (const auto& curve : curves_) {
      const Line line = add_points(points, curve, totals);
      add_frozen(frozen, curve);
      const Slope late = log_slope(line.n, line.rms, line.error, kLateFrom);
      const Slope all = log_slope(line.n, line.rms, line.error, 0);
      curves.add({curve.name, curve.magnitude, static_cast<double>(curve.dimension), curve.exponent,
                  curve.constant, late.value, late.error, all.value, all.error, curve.share,
                  curve.frozen_below, curve.law_from, curve.nonlinearity});
      if (&curve == &told)
        summary.add(
            {curve.name, curve.magnitude, static_cast<double>(curve.dimension), line.n.back(),
             line.rms.back(), line.error.back(), std::sqrt(curve.constant / line.n.back()),
             late.value, late.error, curve.nonlinearity, static_cast<double>(words_.tokens.rows()),
             static_cast<double>(words_.distinct), static_cast<double>(words_.unknown_count)});
    }
    for (const auto& word : words_.unknown)
      words.add({word.word, static_cast<double>(word.count)});
    return {points.take(), curves.take(), summary.take(), frozen.take(), words.take()};
  }

 private:
  // The curve of the answer's sentence: |a| nearest to 1, in the first source.
  const Curve& told_curve() const {
    return *std::min_element(
        curves_.begin(), curves_.end(), [](const Curve& left, const Curve& right) {
          return std::fabs(left.magnitude - 1) < std::fabs(right.magnitude - 1);
        });
  }

  Line add_points(TableRows& points, const Curve& curve, const SweepTotals& totals) const {
    Line line;
    for (std::size_t s = 0; s < sweep_->sizes.size(); ++s) {
      const auto n = static_cast<double>(sweep_->sizes[s]);
      const auto moments = [&](Quantity quantity) -> const Moments& {
        return totals.at(curve.source, s, curve.magnitude_number, quantity);
      };
      const Estimate rms = moments(kSquaredError).root();
      const Estimate share = moments(kSampleShare).mean();
      const double law = std::sqrt(curve.constant / n);
      const bool holds = n >= curve.law_from;
      // The dashed part begins where it says less than "as large as the output itself", and
      // reaches the first point of the solid one.
      const bool early = n >= curve.frozen_below && n / 2 < curve.law_from && law < curve.reach;
      const TokenSource& source = sweep_->sources[curve.source];
      const bool gaussian = source.measure->kind() == "gaussian" && source.persistence == 0;
      const double frozen =
          gaussian && n < curve.frozen_below
              ? measure::frozen_output_error(source.measure->tilt(curve.a).covariance, curve.a, n)
              : kNaN;
      points.add({curve.name, curve.magnitude, static_cast<double>(curve.dimension), n,
                  curve.exists ? rms.value : kNaN, curve.exists ? rms.error : kNaN,
                  curve.exists ? kNaN : rms.value, curve.exists ? kNaN : rms.error,
                  holds ? law : kNaN, early ? law : kNaN, frozen, share.value, share.error,
                  curve.share, moments(kLargestWeight).mean().value, moments(kSquaredError).count});
      line.n.push_back(n);
      line.rms.push_back(rms.value);
      line.error.push_back(rms.error);
    }
    return line;
  }

  // A strip over the sizes at which the softmax is frozen, as high as the figure.
  void add_frozen(TableRows& frozen, const Curve& curve) const {
    double low = std::numeric_limits<double>::infinity();
    double high = 0;
    for (const auto& other : curves_) {
      const double last = static_cast<double>(sweep_->sizes.back());
      if (other.constant > 0) low = std::min(low, std::sqrt(other.constant / last));
      if (other.reach > 0) high = std::max(high, other.reach);
    }
    if (!(low < high)) low = high / 100;
    for (const Index n : sweep_->sizes)
      if (static_cast<double>(n) < curve.frozen_below)
        frozen.add({curve.name, static_cast<double>(n), low, high});
  }

  const Descriptor& descriptor_;
  std::shared_ptr<const PromptSweep> sweep_;
  std::vector<Curve> curves_;
  TextTokens words_;
};

std::unique_ptr<Plan> prepare(const Values& values, std::uint64_t seed) {
  return std::make_unique<OutputPlan>(values, seed, large_prompt_output_descriptor());
}

const Registration kRegistration(kLargePromptOutput, large_prompt_output_descriptor, prepare);

}  // namespace
}  // namespace attnlab::experiments

#include "needle/bayes_evolution.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/portable.h"
#include "core/require.h"
#include "needle/bayes_output.h"
#include "needle/whitened.h"

namespace attnlab::needle {

namespace {

constexpr Index kFieldsPerStep = 500;
constexpr double kLargestOverlap = 1 - 1e-9;

}  // namespace

BayesOrder bayes_start(Start start) {
  return start == Start::kInformed ? BayesOrder{0.98, 0.98} : BayesOrder{0.01, 0.01};
}

BayesEvolution::BayesEvolution(const Problem& problem, double ratio, const BayesOptions& options,
                               const BayesOrder& start, RandomStream random)
    : problem_(problem), ratio_(ratio), options_(options), order_(start), path_{start} {
  validate_bayes(problem);
  require_range(ratio, 0.01, 1000, "ratio");
  require_range(static_cast<double>(options.samples), 100, 1e6, "samples");
  require_range(static_cast<double>(options.largest_iterations), 1, 1e6, "iterations");
  require_range(options.damping, 1e-3, 1, "damping");
  require_range(start.key, 0, 1, "start");
  require_range(start.value, 0, 1, "start");
  const Index length = problem.lengths.minimum;
  const Matrix fields = whitened_normals(options.samples, 2 * length + 1, random);
  key_noise_ = fields.leftCols(length);
  value_noise_ = fields.middleCols(length, length);
  label_noise_ = fields.col(2 * length);
}

double BayesEvolution::progress() const {
  if (verdict_ != Verdict::kRunning) return 1;
  // Most runs end long before the allowed iterations.
  return 1 - 1 / (1 + static_cast<double>(iterations_) / 30);
}

double BayesEvolution::draw_keys(Index n, const BayesOrder& order, double* key_field) const {
  const Index length = key_noise_.cols();
  const double root = std::sqrt(order.key);
  for (Index l = 0; l < length; ++l)
    key_field[l] = key_noise_(n, l);
  double importance = 1;
  const double narrow = std::min(1.0, 3 * std::sqrt((1 - order.key) / std::max(order.key, 1e-9)));
  if (problem_.model == Model::kMax && length > 1 && narrow < 1) {
    const Index pairs = length * (length - 1) / 2;
    if (n % 2 == 1) {
      // The pair in turn, its difference made narrow.
      Index pair = (n / 2) % pairs;
      Index a = 0, b = 1;
      for (; pair > 0; --pair)
        if (++b == length) {
          ++a;
          b = a + 1;
        }
      const double middle = 0.5 * (key_field[a] + key_field[b]);
      const double half = 0.5 * (key_field[a] - key_field[b]) * narrow;
      key_field[a] = middle + half;
      key_field[b] = middle - half;
    }
    // Density of the mixture over that of the plain law.
    double ratio = 0;
    for (Index a = 0; a < length; ++a)
      for (Index b = a + 1; b < length; ++b) {
        const double gap = key_field[a] - key_field[b];
        ratio += portable::exp(-0.25 * gap * gap * (1 / (narrow * narrow) - 1)) / narrow;
      }
    importance = 1 / (0.5 + 0.5 * ratio / static_cast<double>(pairs));
  }
  for (Index l = 0; l < length; ++l)
    key_field[l] *= root;
  return importance;
}

bool BayesEvolution::step() {
  if (verdict_ != Verdict::kRunning) return true;
  const Index length = key_noise_.cols();
  const bool spiked = problem_.model == Model::kSpiked;
  const double value_left = std::max(1 - order_.value, 0.0);
  const BayesOutput output(problem_, std::max(1 - order_.key, 1e-9), value_left);
  const double shift = order_.key * std::sqrt(spiked ? problem_.snr : 0.0);
  const double label_spread =
      std::sqrt(std::max(problem_.noise * problem_.noise + value_left, 1e-10));
  double key_field[kLargestEvolutionLength], value_field[kLargestEvolutionLength];
  double key_pull[kLargestEvolutionLength], value_pull[kLargestEvolutionLength];
  BayesOutput::Prior prior;
  const Index end = std::min(next_ + kFieldsPerStep, options_.samples);
  for (; next_ < end; ++next_) {
    const double importance = draw_keys(next_, order_, key_field);
    key_field[0] += shift;
    for (Index l = 0; l < length; ++l)
      value_field[l] = std::sqrt(order_.value) * value_noise_(next_, l);
    output.see_keys(key_field, prior);
    weight_sum_ += importance;
    // Spiked: the needle stands first. max: every token may be the needle, with its probability.
    for (Index needle = 0; needle < (spiked ? 1 : length); ++needle) {
      const double weight = importance * (spiked ? 1.0 : prior.probabilities[needle]);
      if (weight < 1e-12) continue;
      const double label = value_field[needle] + label_spread * label_noise_[next_];
      output.pull(prior, {key_field, value_field, label}, key_pull, value_pull);
      double key_square = 0, value_square = 0;
      for (Index l = 0; l < length; ++l) {
        key_square += key_pull[l] * key_pull[l];
        value_square += value_pull[l] * value_pull[l];
      }
      key_sum_ += weight * key_square;
      value_sum_ += weight * value_square;
    }
  }
  if (next_ < options_.samples) return false;

  const double weight = ratio_ / weight_sum_;
  const double key = weight * key_sum_, value = weight * value_sum_;
  const BayesOrder image{key / (1 + key), value / (1 + value)};
  const double change =
      std::max(std::fabs(image.key - order_.key), std::fabs(image.value - order_.value));
  if (!std::isfinite(change)) {
    verdict_ = Verdict::kDiverged;
    return true;
  }
  order_.key += options_.damping * (image.key - order_.key);
  order_.value += options_.damping * (image.value - order_.value);
  order_.key = std::min(order_.key, kLargestOverlap);
  order_.value = std::min(order_.value, kLargestOverlap);
  path_.push_back(order_);
  key_sum_ = value_sum_ = weight_sum_ = 0;
  next_ = 0;
  ++iterations_;
  if (change < options_.tolerance)
    verdict_ = Verdict::kConverged;
  else if (iterations_ >= options_.largest_iterations)
    verdict_ = Verdict::kNotSettled;
  return verdict_ != Verdict::kRunning;
}

double BayesEvolution::risk(const BayesOrder& order) const {
  if (problem_.model == Model::kSpiked) {
    Problem seen = problem_;
    seen.snr = problem_.snr * order.key;
    return 1 - order.value * (1 - bayes_risk(seen).risk);
  }
  const Index length = key_noise_.cols();
  const BayesOutput output(problem_, std::max(1 - order.key, 1e-9), 1 - order.value);
  double field[kLargestEvolutionLength], probabilities[kLargestEvolutionLength];
  double missed = 0, weights = 0;
  for (Index n = 0; n < options_.samples; ++n) {
    const double importance = draw_keys(n, order, field);
    output.prior(field, probabilities);
    double square = 0;
    for (Index l = 0; l < length; ++l)
      square += probabilities[l] * probabilities[l];
    missed += importance * (1 - square);
    weights += importance;
  }
  return 1 - order.value * (1 - missed / weights);
}

BayesStreams::BayesStreams(const Problem& problem, double ratio, const BayesOptions& options,
                           Start start, Index streams, std::uint64_t seed)
    : problem_(problem),
      ratio_(ratio),
      options_(options),
      start_(start),
      streams_(streams),
      seed_(seed) {
  require_range(static_cast<double>(streams), 1, 1000, "streams");
  validate_bayes(problem);
  require_range(ratio, 0.01, 1000, "ratio");
  result_.order = {0, 0};
}

double BayesStreams::progress() const {
  const double part = evolution_ ? evolution_->progress() : 0.0;
  return done_ ? 1.0 : (static_cast<double>(ended_) + part) / static_cast<double>(streams_);
}

bool BayesStreams::step() {
  if (done_) return true;
  if (!evolution_) {
    evolution_.emplace(
        problem_, ratio_, options_, bayes_start(start_),
        RandomStream(seed_, stream_of({0x424f, static_cast<std::uint64_t>(ended_)})));
    return false;
  }
  if (!evolution_->step()) return false;
  result_.iterations = std::max(result_.iterations, evolution_->iterations());
  if (evolution_->verdict() != Verdict::kConverged) {
    result_.order = evolution_->order();
    return end(evolution_->verdict());
  }
  const auto n = static_cast<double>(streams_);
  risks_.add(evolution_->risk());
  result_.order.key += evolution_->order().key / n;
  result_.order.value += evolution_->order().value / n;
  evolution_.reset();
  return ++ended_ == streams_ && end(Verdict::kConverged);
}

bool BayesStreams::end(Verdict verdict) {
  const bool converged = verdict == Verdict::kConverged;
  result_.verdict = verdict;
  result_.risk = converged ? risks_.mean() : std::nan("");
  result_.standard_error = converged ? risks_.standard_error() : std::nan("");
  return done_ = true;
}

BayesResult bayes_state_evolution(const Problem& problem, double ratio, const BayesOptions& options,
                                  Start start, Index streams, std::uint64_t seed) {
  BayesStreams all(problem, ratio, options, start, streams, seed);
  while (!all.step()) {
  }
  return all.result();
}

}  // namespace attnlab::needle

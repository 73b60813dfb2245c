#include "needle/message_passing.h"

#include <algorithm>
#include <cmath>

#include "core/require.h"
#include "needle/row_products.h"

namespace attnlab::needle {

namespace {

constexpr double kNumbersPerStep = 4e5;
constexpr double kInformedOverlap = 0.98;
enum Purpose : std::uint64_t { kData = 0x61, kRisk = 0x62 };

}  // namespace

MessagePassing::MessagePassing(const Problem& problem, double ratio, const AmpOptions& options,
                               std::uint64_t seed, std::uint64_t replicate)
    : problem_(problem),
      ratio_(ratio),
      options_(options),
      random_(seed, stream_of({kData, replicate})),
      seed_(seed),
      replicate_(replicate),
      data_(plan_data_set(problem, ratio, options.dimension)) {
  validate_bayes(problem);
  require_range(ratio, 0.01, 1000, "ratio");
  require_range(options.damping, 1e-3, 1, "damping");
  require_range(static_cast<double>(options.iterations), 1, 1e5, "iterations");
  teacher_ = draw_teacher(options.dimension, random_);
}

void MessagePassing::draw_some() {
  if (!draw_more(data_, problem_, teacher_, random_)) return;
  const Index dimension = options_.dimension;
  key_ = 1e-3 * random_.gaussian_vector(dimension);
  value_ = 1e-3 * random_.gaussian_vector(dimension);
  if (options_.informed) {
    // As a posterior mean with overlap q has it: q k* + sqrt(q (1 - q)) noise, variance 1 - q.
    const double q = kInformedOverlap;
    const double spread = std::sqrt(q * (1 - q)) * 1e3;
    key_ = q * teacher_.key + spread * key_;
    value_ = q * teacher_.value + spread * value_;
    key_variance_ = value_variance_ = 1 - q;
  }
  key_pulls_.setZero(data_.samples, data_.length);
  value_pulls_.setZero(data_.samples, data_.length);
  key_sum_.setZero(dimension);
  value_sum_.setZero(dimension);
  note_state();
}

void MessagePassing::pass_some() {
  const Index dimension = options_.dimension;
  const double scale = 1 / std::sqrt(static_cast<double>(dimension));
  const BayesOutput output(problem_, key_variance_, value_variance_);
  const auto cost = static_cast<double>(data_.length * dimension);
  const Index end = std::min(
      data_.samples, passed_ + std::max<Index>(1, static_cast<Index>(kNumbersPerStep / cost)));
  double key_field[kLargestEvolutionLength], value_field[kLargestEvolutionLength];
  for (; passed_ < end; ++passed_) {
    const double* rows = data_.rows(passed_);
    double* key_pull = key_pulls_.row(passed_).data();
    double* value_pull = value_pulls_.row(passed_).data();
    for (Index l = 0; l < data_.length; ++l) {
      const TwoSums sums =
          two_products(rows + l * dimension, key_.data(), value_.data(), dimension);
      key_field[l] = sums.first * scale - key_variance_ * key_pull[l];
      value_field[l] = sums.second * scale - value_variance_ * value_pull[l];
    }
    output({key_field, value_field, data_.labels[passed_]}, key_pull, value_pull);
    for (Index l = 0; l < data_.length; ++l) {
      key_square_ += key_pull[l] * key_pull[l];
      value_square_ += value_pull[l] * value_pull[l];
      add_twice(rows + l * dimension, key_pull[l] * scale, value_pull[l] * scale, key_sum_.data(),
                value_sum_.data(), dimension);
    }
  }
  if (passed_ == data_.samples) update();
}

void MessagePassing::update() {
  const auto d = static_cast<double>(options_.dimension);
  const double prior = problem_.model == Model::kSpiked ? ratio_ * problem_.snr : 0.0;
  const double key_gain = key_square_ / d - prior;
  const double value_gain = value_square_ / d;
  const double key_precision = std::max(1 + prior + key_gain, 0.05);
  const double value_precision = 1 + value_gain;
  const Vector new_key = (key_sum_ + key_gain * key_) / key_precision;
  const Vector new_value = (value_sum_ + value_gain * value_) / value_precision;
  key_ += options_.damping * (new_key - key_);
  value_ += options_.damping * (new_value - value_);
  key_variance_ = 1 / key_precision;
  value_variance_ = 1 / value_precision;
  passed_ = 0;
  key_square_ = value_square_ = 0;
  key_sum_.setZero();
  value_sum_.setZero();
  ++iterations_;
  finite_ = key_.allFinite() && value_.allFinite();
  if (finite_) note_state();
}

void MessagePassing::note_state() {
  const Overlaps overlaps = overlaps_of(key_, value_, teacher_);
  const BayesOutput output(problem_, key_variance_, value_variance_);
  // The same prompts at every iteration, so that the path is smooth.
  RandomStream random(seed_, stream_of({kRisk, replicate_}));
  const RiskEstimate risk = risk_monte_carlo(
      problem_,
      [&output](const double* scores, Index, double* weights) { output.prior(scores, weights); },
      overlaps, options_.risk_samples, random);
  path_.push_back(
      {risk.risk, overlaps.key, overlaps.value, overlaps.key_power, overlaps.value_power});
}

bool MessagePassing::step() {
  if (!finite_ || iterations_ >= options_.iterations) return true;
  if (!data_.whole())
    draw_some();
  else
    pass_some();
  return !finite_ || iterations_ >= options_.iterations;
}

double MessagePassing::progress() const {
  if (!finite_ || iterations_ >= options_.iterations) return 1;
  const double drawn = static_cast<double>(data_.drawn) / static_cast<double>(data_.samples);
  const double passed = static_cast<double>(passed_) / static_cast<double>(data_.samples);
  return 0.2 * drawn + 0.8 * (static_cast<double>(iterations_) + passed) /
                           static_cast<double>(options_.iterations);
}

}  // namespace attnlab::needle

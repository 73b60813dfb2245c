#include "needle/message_passing.h"

#include <algorithm>
#include <cmath>

#include "core/require.h"
#include "needle/row_products.h"

namespace attnlab::needle {

namespace {

constexpr double kNumbersPerStep = 4e5;
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
  key_.estimate = 1e-3 * random_.gaussian_vector(dimension);
  value_.estimate = 1e-3 * random_.gaussian_vector(dimension);
  if (options_.informed) {
    // As a posterior mean with overlap q has it: q k* + sqrt(q (1 - q)) noise, variance 1 - q.
    const double q = kInformedOverlap;
    const double spread = std::sqrt(q * (1 - q)) * 1e3;
    key_.estimate = q * teacher_.key + spread * key_.estimate;
    value_.estimate = q * teacher_.value + spread * value_.estimate;
    key_.variance = value_.variance = 1 - q;
  }
  for (Side* side : {&key_, &value_}) {
    side->pulls.setZero(data_.samples, data_.length);
    side->reactions.setZero(data_.samples, data_.length);
    side->sum.setZero(dimension);
  }
  note_state();
}

void MessagePassing::pass_some() {
  const Index dimension = options_.dimension;
  const double scale = 1 / std::sqrt(static_cast<double>(dimension));
  const BayesOutput output(problem_, key_.variance, value_.variance);
  const auto cost = static_cast<double>(data_.length * dimension);
  const Index end = std::min(
      data_.samples, passed_ + std::max<Index>(1, static_cast<Index>(kNumbersPerStep / cost)));
  double key_field[kLargestEvolutionLength], value_field[kLargestEvolutionLength];
  double to_key[kLargestEvolutionLength], to_value[kLargestEvolutionLength];
  for (; passed_ < end; ++passed_) {
    const Rows rows{data_.rows(passed_), data_.length, dimension, dimension};
    double* key_pull = key_.pulls.row(passed_).data();
    double* value_pull = value_.pulls.row(passed_).data();
    double* key_reaction = key_.reactions.row(passed_).data();
    double* value_reaction = value_.reactions.row(passed_).data();
    two_products(rows, key_.estimate.data(), value_.estimate.data(), key_field, value_field);
    for (Index l = 0; l < data_.length; ++l) {
      key_reaction[l] = key_.memory * key_reaction[l] + key_.fresh * key_pull[l];
      value_reaction[l] = value_.memory * value_reaction[l] + value_.fresh * value_pull[l];
      key_field[l] = key_field[l] * scale - key_reaction[l];
      value_field[l] = value_field[l] * scale - value_reaction[l];
    }
    const BayesOutput::Fields fields{key_field, value_field, data_.labels[passed_]};
    output(fields, key_pull, value_pull);
    const BayesOutput::Excess excess = output.excess(fields, key_pull, value_pull);
    key_.excess += excess.key;
    value_.excess += excess.value;
    for (Index l = 0; l < data_.length; ++l) {
      key_.square += key_pull[l] * key_pull[l];
      value_.square += value_pull[l] * value_pull[l];
      to_key[l] = key_pull[l] * scale;
      to_value[l] = value_pull[l] * scale;
    }
    add_twice(rows, to_key, to_value, key_.sum.data(), value_.sum.data());
  }
  if (passed_ < data_.samples) return;
  update(key_, problem_.model == Model::kSpiked ? ratio_ * problem_.snr : 0.0);
  update(value_, 0);
  passed_ = 0;
  ++iterations_;
  finite_ = key_.estimate.allFinite() && value_.estimate.allFinite();
  if (finite_) note_state();
}

void MessagePassing::update(Side& side, double prior) {
  const auto d = static_cast<double>(options_.dimension);
  const double share = options_.damping;
  const double gain = side.square / d - prior;
  side.variance = 1 / std::max(1 + prior + gain, 0.05);
  const Vector fresh = side.variance * (side.sum + gain * side.estimate);
  side.estimate += share * (fresh - side.estimate);
  side.fresh = share * side.variance;
  side.memory = 1 - share + side.fresh * side.excess / d;
  side.square = side.excess = 0;
  side.sum.setZero();
}

void MessagePassing::note_state() {
  const Overlaps overlaps = overlaps_of(key_.estimate, value_.estimate, teacher_);
  const BayesOutput output(problem_, key_.variance, value_.variance);
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

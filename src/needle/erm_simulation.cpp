#include "needle/erm_simulation.h"

#include <algorithm>
#include <cmath>

#include "core/require.h"
#include "needle/row_products.h"

namespace attnlab::needle {

namespace {

constexpr double kNumbersPerStep = 4e5;  // of the tokens: a few milliseconds
enum Purpose : std::uint64_t { kData = 0x51, kRisk = 0x52 };

}  // namespace

ErmSimulation::ErmSimulation(const ErmProblem& problem, const ErmSimulationOptions& options,
                             std::uint64_t seed, std::uint64_t replicate)
    : problem_(problem),
      options_(options),
      random_(seed, stream_of({kData, replicate})),
      seed_(seed),
      replicate_(replicate),
      data_(plan_data_set(problem.problem, problem.ratio, options.dimension)) {
  validate(problem);
  require_range(static_cast<double>(options.largest_evaluations), 1, 1e6, "steps");
  require_range(static_cast<double>(options.risk_samples), 100, 1e7, "samples");
  teacher_ = draw_teacher(options.dimension, random_);
}

void ErmSimulation::draw_some() {
  if (!draw_more(data_, problem_.problem, teacher_, random_)) return;
  if (options_.start == Start::kInformed)
    start_.emplace(problem_, Start::kInformed);
  else
    begin_search(nullptr);
}

void ErmSimulation::find_start() {
  if (!start_->step()) return;
  begin_search(&start_->order());
  start_.reset();
}

// Informed: near the population's best parameters. Uninformed: small random vectors.
void ErmSimulation::begin_search(const ErmOrder* informed) {
  const Index dimension = options_.dimension;
  Vector start = 0.1 * random_.gaussian_vector(2 * dimension);
  if (informed != nullptr) {
    start.head(dimension) += informed->key * teacher_.key;
    start.tail(dimension) += informed->value * teacher_.value;
  }
  if (options_.trainer == Trainer::kLbfgs) {
    optimize::LbfgsOptions search;
    search.largest_evaluations = options_.largest_evaluations;
    search.gradient_tolerance = 1e-5;
    search.value_tolerance = 1e-10;
    lbfgs_.emplace(std::move(start), search);
  } else {
    optimize::DescentOptions search;
    search.rate = options_.rate / std::max(problem_.ratio, 1.0);
    search.largest_steps = options_.largest_evaluations;
    search.gradient_tolerance = 1e-5;
    descent_.emplace(std::move(start), search);
  }
  gradient_.setZero(2 * dimension);
}

// Some prompts of the current evaluation; at the last one the search moves on.
void ErmSimulation::evaluate_some() {
  const Index dimension = options_.dimension;
  const Vector& point = lbfgs_ ? lbfgs_->point() : descent_->point();
  const double scale = 1 / std::sqrt(static_cast<double>(dimension));
  const double* key = point.data();
  const double* value = point.data() + dimension;
  if (evaluated_ == 0) {
    gradient_.setZero();
    data_loss_ = 0;
  }
  const auto cost = static_cast<double>(data_.length * dimension);
  const Index end = std::min(
      data_.samples, evaluated_ + std::max<Index>(1, static_cast<Index>(kNumbersPerStep / cost)));
  double scores[kLargestEvolutionLength], outputs[kLargestEvolutionLength];
  double weights[kLargestEvolutionLength], back[kLargestEvolutionLength];
  double to_key[kLargestEvolutionLength], to_value[kLargestEvolutionLength];
  for (; evaluated_ < end; ++evaluated_) {
    const Rows rows{data_.rows(evaluated_), data_.length, dimension, dimension};
    two_products(rows, key, value, scores, outputs);
    for (Index l = 0; l < data_.length; ++l) {
      scores[l] *= scale;
      outputs[l] *= scale;
    }
    attend(problem_.kernel, 0, scores, data_.length, weights);
    double prediction = 0;
    for (Index l = 0; l < data_.length; ++l)
      prediction += weights[l] * outputs[l];
    const double miss = prediction - data_.labels[evaluated_];
    data_loss_ += 0.5 * miss * miss;
    attend_backward(problem_.kernel, 0, scores, weights, outputs, data_.length, back);
    for (Index l = 0; l < data_.length; ++l) {
      to_key[l] = miss * back[l] * scale;
      to_value[l] = miss * weights[l] * scale;
    }
    add_twice(rows, to_key, to_value, gradient_.data(), gradient_.data() + dimension);
  }
  if (evaluated_ < data_.samples) return;
  evaluated_ = 0;
  const double key_norm = point.head(dimension).squaredNorm();
  const double value_norm = point.tail(dimension).squaredNorm();
  value_ = data_loss_ + 0.5 * (problem_.ridge_keys * key_norm + problem_.ridge_values * value_norm);
  gradient_.head(dimension) += problem_.ridge_keys * point.head(dimension);
  gradient_.tail(dimension) += problem_.ridge_values * point.tail(dimension);
  const auto n = static_cast<double>(data_.samples);
  ++result_.evaluations;
  if (lbfgs_) {
    const Index accepted = lbfgs_->iterations();
    lbfgs_->tell(value_, gradient_);
    if (lbfgs_->iterations() != accepted || result_.evaluations == 1)
      result_.train_loss = data_loss_ / n;
    if (!lbfgs_->running()) finish();
  } else {
    result_.train_loss = data_loss_ / n;
    descent_->tell(value_, gradient_);
    if (!descent_->running()) finish();
  }
}

void ErmSimulation::finish() {
  done_ = true;
  const Index dimension = options_.dimension;
  const Vector& point = lbfgs_ ? lbfgs_->best() : descent_->point();
  result_.reason = lbfgs_ ? lbfgs_->reason() : descent_->reason();
  result_.energy = (lbfgs_ ? lbfgs_->value() : value_) / static_cast<double>(data_.samples);
  result_.overlaps = overlaps_of(point.head(dimension), point.tail(dimension), teacher_);
  // Every replicate is tested on prompts of its own.
  RandomStream random(seed_, stream_of({kRisk, replicate_}));
  result_.risk = risk_monte_carlo(problem_.problem, problem_.kernel, 0, result_.overlaps,
                                  options_.risk_samples, random)
                     .risk;
  data_.tokens.resize(0, 0);
}

bool ErmSimulation::step() {
  if (done_) return true;
  if (!data_.whole())
    draw_some();
  else if (start_)
    find_start();
  else
    evaluate_some();
  return done_;
}

double ErmSimulation::progress() const {
  if (done_) return 1;
  const double drawn = static_cast<double>(data_.drawn) / static_cast<double>(data_.samples);
  const double searched = static_cast<double>(result_.evaluations);
  return 0.1 * drawn + 0.9 * searched / (searched + 60);
}

}  // namespace attnlab::needle

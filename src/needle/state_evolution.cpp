#include "needle/state_evolution.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/portable.h"
#include "core/require.h"
#include "needle/teacher_scores.h"
#include "needle/whitened.h"

namespace attnlab::needle {

namespace {

constexpr Index kFieldsPerStep = 200;
constexpr Index kDampedSweeps = 6;  // before the mixing begins
constexpr std::size_t kMixingDepth = 5;
constexpr double kLargestOrder = 1e4;
constexpr Index kMixedSweeps = 25;  // the mixing ends
constexpr std::size_t kSettledOrders = 12;

// Coordinates in which the map is mixed: m_k, log(q_k - m_k^2), log V_k and the same for v.
Vector coordinates(const ErmOrder& o) {
  const auto noise = [](double power, double overlap) {
    return portable::log(std::fmax(power - overlap * overlap, 1e-12));
  };
  Vector x(6);
  x << o.key, noise(o.key_power, o.key), portable::log(o.key_variance), o.value,
      noise(o.value_power, o.value), portable::log(o.value_variance);
  return x;
}

ErmOrder order_at(const Vector& x) {
  ErmOrder o;
  o.key = x[0];
  o.key_power = x[0] * x[0] + portable::exp(x[1]);
  o.key_variance = portable::exp(x[2]);
  o.value = x[3];
  o.value_power = x[3] * x[3] + portable::exp(x[4]);
  o.value_variance = portable::exp(x[5]);
  return o;
}

bool within_bounds(const ErmOrder& o) {
  for (const double value :
       {o.key, o.key_power, o.key_variance, o.value, o.value_power, o.value_variance})
    if (!(std::fabs(value) < kLargestOrder)) return false;
  return true;
}

}  // namespace

ErmEvolution::ErmEvolution(const ErmProblem& problem, const ErmOptions& options,
                           const ErmOrder& start, RandomStream random)
    : problem_(problem), options_(options), order_(start) {
  validate(problem);
  require_range(static_cast<double>(options.samples), 100, 1e6, "samples");
  require_range(static_cast<double>(options.largest_iterations), 1, 1e6, "iterations");
  require_range(options.tolerance, 0, 1, "tolerance");
  draw_fields(random);
  begin_sweep();
}

// The fields of one sample, all standard normal before the needle is chosen: made to have mean 0
// and covariance 1 exactly in the sample, which takes out most of its error.
void ErmEvolution::draw_fields(RandomStream random) {
  const Index samples = options_.samples;
  const Index length = problem_.problem.lengths.minimum;
  const Matrix fields = whitened_normals(samples, 4 * length + 1, random);
  teacher_ = fields.leftCols(length);
  target_ = fields.middleCols(length, length);
  key_noise_ = fields.middleCols(2 * length, length);
  value_noise_ = fields.middleCols(3 * length, length);
  labels_ = target_.col(0) + problem_.problem.noise * fields.col(4 * length);
  // Tokens are exchangeable: the needle stands first.
  if (problem_.problem.model == Model::kSpiked) {
    teacher_.col(0).array() += std::sqrt(problem_.problem.snr);
    return;
  }
  for (Index n = 0; n < samples; ++n) {
    const Index needle = pick_needle(problem_.problem.snr, teacher_.row(n).data(), length, random);
    std::swap(teacher_(n, 0), teacher_(n, needle));
  }
}

void ErmEvolution::begin_sweep() {
  next_ = 0;
  sums_ = {};
}

double ErmEvolution::progress() const {
  if (verdict_ != Verdict::kRunning) return 1;
  const double sweep = static_cast<double>(next_) / static_cast<double>(options_.samples);
  return (static_cast<double>(iterations_) + sweep) /
         static_cast<double>(options_.largest_iterations);
}

bool ErmEvolution::step() {
  if (verdict_ != Verdict::kRunning) return true;
  const Index length = teacher_.cols();
  const ProximalSolver solver(problem_.kernel, length, order_.key_variance, order_.value_variance);
  const double key_spread = std::sqrt(std::fmax(order_.key_power - order_.key * order_.key, 1e-12));
  const double value_spread =
      std::sqrt(std::fmax(order_.value_power - order_.value * order_.value, 1e-12));
  double key_field[kLargestEvolutionLength], value_field[kLargestEvolutionLength];
  const Index end = std::min(next_ + kFieldsPerStep, options_.samples);
  for (; next_ < end; ++next_) {
    for (Index l = 0; l < length; ++l) {
      key_field[l] = order_.key * teacher_(next_, l) + key_spread * key_noise_(next_, l);
      value_field[l] = order_.value * target_(next_, l) + value_spread * value_noise_(next_, l);
    }
    const ProximalProblem single{key_field, value_field, labels_[next_]};
    ProximalPoint point;
    solver.solve(single, point);
    ProximalResponse response;
    if (!solver.respond(single, point, response)) sums_.failed += 1;
    const double needle_pull = (point.scores[0] - key_field[0]) / order_.key_variance;
    for (Index l = 0; l < length; ++l) {
      const double key_pull = (point.scores[l] - key_field[l]) / order_.key_variance;
      const double value_pull = point.residual * point.weights[l];
      sums_.key_target += key_pull * teacher_(next_, l);
      sums_.value_target += value_pull * target_(next_, l);
      sums_.key_square += key_pull * key_pull;
      sums_.value_square += value_pull * value_pull;
      sums_.key_stein += key_pull * key_noise_(next_, l) / key_spread;
      sums_.value_stein += value_pull * value_noise_(next_, l) / value_spread;
    }
    sums_.needle_key += needle_pull;
    sums_.label_slope += response.label_slope;
    sums_.key_trace += response.key_trace;
    sums_.value_trace += response.value_trace;
    sums_.key_key += response.key_key;
    sums_.key_value += response.key_value;
    sums_.value_value += response.value_value;
    sums_.loss += 0.5 * point.residual * point.residual;
  }
  if (next_ == options_.samples) end_sweep();
  return verdict_ != Verdict::kRunning;
}

void ErmEvolution::end_sweep() {
  const double weight = problem_.ratio / static_cast<double>(options_.samples);
  train_loss_ = sums_.loss / static_cast<double>(options_.samples);
  ++iterations_;
  const double key_precision = -weight * sums_.key_trace;
  const double value_precision = -weight * sums_.value_trace;
  ErmOrder image;
  image.key_variance = 1 / std::fmax(problem_.ridge_keys + key_precision, 1e-3);
  image.value_variance = 1 / std::fmax(problem_.ridge_values + value_precision, 1e-3);
  image.key = image.key_variance * (weight * sums_.key_target + key_precision * order_.key);
  image.value =
      image.value_variance * (weight * sums_.value_target + value_precision * order_.value);
  if (problem_.kernel == Kernel::kLinear) {
    // Partial integration over z* and, for spiked, over chi*: the same means with far less noise.
    // It needs a proximal point that moves continuously with the fields; softmax's may jump.
    image.value = image.value_variance * weight * sums_.label_slope;
    if (problem_.problem.model == Model::kSpiked)
      image.key = image.key_variance * weight * std::sqrt(problem_.problem.snr) * sums_.needle_key;
  }
  image.key_power =
      image.key * image.key + image.key_variance * image.key_variance * weight * sums_.key_square;
  image.value_power = image.value * image.value +
                      image.value_variance * image.value_variance * weight * sums_.value_square;

  // Replicon: the variance of a small disorder in the fields, carried once round the loop.
  const double vk = image.key_variance * image.key_variance * weight;
  const double vv = image.value_variance * image.value_variance * weight;
  const double kk = vk * sums_.key_key, kv = vk * sums_.key_value;
  const double vk_cross = vv * sums_.key_value, vv_own = vv * sums_.value_value;
  replicon_ = 0.5 * (kk + vv_own + std::sqrt((kk - vv_own) * (kk - vv_own) + 4 * kv * vk_cross));

  if (!within_bounds(image) || sums_.failed > 0.01 * static_cast<double>(options_.samples)) {
    verdict_ = Verdict::kDiverged;
    return;
  }
  const Vector change = coordinates(image) - coordinates(order_);
  last_change_ = change.cwiseAbs().maxCoeff();
  mix(image);
  recent_.push_back(coordinates(order_));
  if (recent_.size() > kSettledOrders) recent_.erase(recent_.begin());
  if (last_change_ < options_.tolerance) {
    verdict_ = Verdict::kConverged;
  } else if (settled()) {
    Vector mean = Vector::Zero(6);
    for (const Vector& x : recent_)
      mean += x / static_cast<double>(recent_.size());
    order_ = order_at(mean);
    verdict_ = Verdict::kConverged;
  } else if (iterations_ >= options_.largest_iterations) {
    verdict_ = Verdict::kNotSettled;
  } else {
    begin_sweep();
  }
  if (verdict_ == Verdict::kConverged && replicon_ > 2 * kLargestReplicon)
    verdict_ = Verdict::kUnstable;
}

bool ErmEvolution::settled() const {
  if (iterations_ < kMixedSweeps + static_cast<Index>(kSettledOrders)) return false;
  if (last_change_ > 2 * options_.settled) return false;
  Vector low = recent_.front(), high = recent_.front();
  for (const Vector& x : recent_) {
    low = low.cwiseMin(x);
    high = high.cwiseMax(x);
  }
  return (high - low).maxCoeff() < options_.settled;
}

// Anderson mixing (Walker & Ni 2011): the combination of past points whose changes cancel best.
void ErmEvolution::mix(const ErmOrder& image) {
  const Vector at = coordinates(order_);
  const Vector to = coordinates(image);
  points_.push_back(at);
  images_.push_back(to);
  if (points_.size() > kMixingDepth) {
    points_.erase(points_.begin());
    images_.erase(images_.begin());
  }
  Vector next = 0.5 * (at + to);
  const auto depth = static_cast<Index>(points_.size()) - 1;
  if (iterations_ >= kDampedSweeps && iterations_ < kMixedSweeps && depth >= 1) {
    const Vector change = to - at;
    Matrix differences(6, depth), steps(6, depth);
    for (Index i = 0; i < depth; ++i) {
      const auto j = static_cast<std::size_t>(i);
      const Vector change_i = images_[j] - points_[j];
      differences.col(i) = change - change_i;
      steps.col(i) = to - images_[j];
    }
    // A little ridge keeps the weights small where the changes hardly differ.
    Matrix normal = differences.transpose() * differences;
    normal.diagonal().array() += 1e-8 * normal.trace() + 1e-300;
    const Vector weights =
        normal.colPivHouseholderQr().solve(differences.transpose() * change).eval();
    const Vector mixed = to - steps * weights;
    // Never further than a few of the plain map's own steps.
    if (mixed.allFinite() &&
        (mixed - at).cwiseAbs().maxCoeff() <= 5 * change.cwiseAbs().maxCoeff() + 1e-12)
      next = mixed;
  }
  order_ = order_at(next);
}

double ErmEvolution::risk() const {
  const MomentEvaluator evaluator(problem_.problem, problem_.kernel);
  const double spread = std::sqrt(std::fmax(order_.key_power - order_.key * order_.key, 0.0));
  // A negative overlap has no place in the quadrature; it is rounding around 0.
  const AttentionMoments moments = evaluator.at({std::fmax(order_.key, 0.0), spread, 0});
  return 1 - 2 * order_.value * moments.needle + order_.value_power * moments.square;
}

}  // namespace attnlab::needle

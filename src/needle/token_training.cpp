#include "needle/token_training.h"

#include <algorithm>
#include <cmath>

#include "core/portable.h"
#include "core/require.h"
#include "core/special.h"
#include "needle/attention_moments.h"

namespace attnlab::needle {

namespace {

constexpr double kPi = 3.141592653589793;
constexpr double kTwoOverRootPi = 1.1283791670955126;

double erf_slope(double x) {
  return kTwoOverRootPi * portable::exp(-x * x);
}

// Moments of the needle's score a = mu + gamma g: E f g^j for f = erf(lambda a), erf^2, and their
// derivatives in mu.
struct ScoreMoments {
  double erf[3] = {}, square[3] = {}, erf_slope[3] = {}, square_slope[3] = {};
};

ScoreMoments score_moments(double mean, double gamma, double lambda) {
  ScoreMoments moments;
  constexpr double kReach = 9;
  const double step = std::min(0.25, 0.45 / std::max(lambda * gamma, 1e-6));
  const auto half = static_cast<Index>(kReach / step) + 1;
  for (Index i = -half; i <= half; ++i) {
    const double g = step * static_cast<double>(i);
    const double x = lambda * (mean + gamma * g);
    const double value = portable::erf(x);
    const double slope = lambda * erf_slope(x);
    double weight = step * normal_density(g);
    for (int j = 0; j < 3; ++j) {
      moments.erf[j] += weight * value;
      moments.square[j] += weight * value * value;
      moments.erf_slope[j] += weight * slope;
      moments.square_slope[j] += 2 * weight * value * slope;
      weight *= g;
    }
  }
  return moments;
}

void check_point(double value, std::string_view name) {
  require_range(value, -1 - 1e-9, 1 + 1e-9, name);
}

}  // namespace

void validate(const TokenModel& model) {
  require_range(model.dimension, 2, 1e9, "dimension");
  require_range(model.length, 1, 1e9, "length");
  require_range(model.token_noise, 1e-6, 1e6, "tokenNoise");
}

double TokenOverlaps::distance() const {
  return std::sqrt(value_on_key * value_on_key + key_on_value * key_on_value +
                   key_value * key_value);
}

TokenRisk token_risk(const TokenModel& model, const TokenOverlaps& o, double lambda) {
  validate(model);
  require_range(lambda, 0, 100, "lambda");
  check_point(o.key, "key");
  check_point(o.value, "value");
  check_point(o.value_on_key, "valueOnKey");
  check_point(o.key_on_value, "keyOnValue");
  check_point(o.key_value, "keyValue");
  const double gamma2 = model.token_noise;
  const double gamma = std::sqrt(gamma2);
  const double root = std::sqrt(model.dimension / 2);
  const double kappa = o.key, nu = o.value, theta = o.value_on_key, eta = o.key_on_value;
  const double rho = o.key_value;
  const ScoreMoments m = score_moments(root * kappa, gamma, lambda);
  const double shift = root * theta;  // E X_needle.v
  const double others = model.length - 1;

  // E c erf b with c = X_needle.v*, b = X_needle.v, given the score's g:
  //   c = eta gamma g + ..., b = shift + rho gamma g + ..., cov(c, b | g) = gamma^2 (nu - rho eta).
  const double cross = eta * gamma * (shift * m.erf[1] + rho * gamma * m.erf[2]) +
                       gamma2 * (nu - rho * eta) * m.erf[0];
  const double square = shift * shift * m.square[0] + 2 * shift * rho * gamma * m.square[1] +
                        rho * rho * gamma2 * m.square[2] + gamma2 * (1 - rho * rho) * m.square[0];
  const double mean = shift * m.erf[0] + rho * gamma * m.erf[1];
  // The others: E erf(lambda a') b' = rho e, E erf^2 b'^2 = z + rho^2 (second - z).
  const double l2 = lambda * lambda;
  const double e = kTwoOverRootPi * lambda / std::sqrt(1 + 2 * l2);
  const double z = erf_square_mean(0, lambda);
  // E erf^2(lambda a) (a^2 - 1) = E (erf^2)''(lambda a), by parts twice, in closed form.
  const double bend = (8 * l2 / kPi) / ((1 + 2 * l2) * std::sqrt(1 + 4 * l2));
  TokenRisk result;
  result.risk = gamma2 - 2 * cross + square + others * (z + rho * rho * bend) +
                2 * others * mean * rho * e + others * (others - 1) * rho * rho * e * e;

  // Derivatives. The score's mean moves with kappa only.
  const double cross_k = eta * gamma * (shift * m.erf_slope[1] + rho * gamma * m.erf_slope[2]) +
                         gamma2 * (nu - rho * eta) * m.erf_slope[0];
  const double square_k =
      shift * shift * m.square_slope[0] + 2 * shift * rho * gamma * m.square_slope[1] +
      rho * rho * gamma2 * m.square_slope[2] + gamma2 * (1 - rho * rho) * m.square_slope[0];
  const double mean_k = shift * m.erf_slope[0] + rho * gamma * m.erf_slope[1];
  TokenOverlaps& g = result.gradient;
  g.key = root * (-2 * cross_k + square_k + 2 * others * mean_k * rho * e);
  g.value = -2 * gamma2 * m.erf[0];
  g.value_on_key = root * (-2 * eta * gamma * m.erf[1] + 2 * shift * m.square[0] +
                           2 * rho * gamma * m.square[1] + 2 * others * m.erf[0] * rho * e);
  g.key_on_value =
      -2 * (gamma * (shift * m.erf[1] + rho * gamma * m.erf[2]) - gamma2 * rho * m.erf[0]);
  g.key_value = -2 * (eta * gamma2 * m.erf[2] - gamma2 * eta * m.erf[0]) +
                2 * shift * gamma * m.square[1] + 2 * rho * gamma2 * (m.square[2] - m.square[0]) +
                2 * others * rho * bend + 2 * others * e * (mean + rho * gamma * m.erf[1]) +
                2 * others * (others - 1) * rho * e * e;
  return result;
}

ManifoldSlope manifold_slope(const TokenModel& model, double key, double value, double lambda) {
  const double gamma2 = model.token_noise;
  const double root = std::sqrt(model.dimension / 2);
  const double g2 = lambda * lambda * gamma2;
  const double t = lambda * root * key;
  const double one = 1 + 2 * g2, two = 1 + 4 * g2;
  const double x = t / std::sqrt(one);
  const double slope = erf_slope(x);
  // zeta_t = 2/sqrt(1 + 2 g^2) erf(t/sqrt((1 + 4 g^2)(1 + 2 g^2))) erf'(t/sqrt(1 + 2 g^2)).
  const double zeta_t = 2 / std::sqrt(one) * portable::erf(t / std::sqrt(two * one)) * slope;
  return {lambda * root * gamma2 * (zeta_t - 2 * value * slope / std::sqrt(one)),
          -2 * gamma2 * portable::erf(x)};
}

double manifold_risk(const TokenModel& model, double key, double value, double lambda) {
  validate(model);
  const double gamma2 = model.token_noise;
  const double t = lambda * std::sqrt(model.dimension / 2) * key;
  const double g = lambda * std::sqrt(gamma2);
  return gamma2 - 2 * gamma2 * value * portable::erf(t / std::sqrt(1 + 2 * g * g)) +
         gamma2 * erf_square_mean(t, g) + (model.length - 1) * erf_square_mean(0, lambda);
}

double linear_regression_risk(const TokenModel& model) {
  validate(model);
  const double gamma2 = model.token_noise;
  return gamma2 - gamma2 * gamma2 / (gamma2 + model.length - 1);
}

TokenOverlaps projected_step(const TokenModel& model, const TokenOverlaps& o, double lambda,
                             double rate) {
  if (o.value_on_key == 0 && o.key_on_value == 0 && o.key_value == 0) {
    const ManifoldSlope slope = manifold_slope(model, o.key, o.value, lambda);
    const double a = rate * slope.key, b = rate * slope.value;
    const double key_left = 1 - o.key * o.key, value_left = 1 - o.value * o.value;
    TokenOverlaps next;
    next.key = (o.key - a * key_left) / std::sqrt(1 + a * a * key_left);
    next.value = (o.value - b * value_left) / std::sqrt(1 + b * b * value_left);
    return next;
  }
  const TokenOverlaps g = token_risk(model, o, lambda).gradient;
  // grad_k R = g.key k* + g.eta v* + g.rho v; its part across k, in coordinates (k*, v*, v, k).
  const auto dot_k = g.key * o.key + g.key_on_value * o.key_on_value + g.key_value * o.key_value;
  const auto dot_v =
      g.value * o.value + g.value_on_key * o.value_on_key + g.key_value * o.key_value;
  // Inner products of the tangent parts with the four vectors.
  const double k_star = g.key + g.key_value * o.value_on_key - dot_k * o.key;
  const double k_vstar = g.key_on_value + g.key_value * o.value - dot_k * o.key_on_value;
  const double k_v =
      g.key * o.value_on_key + g.key_on_value * o.value + g.key_value - dot_k * o.key_value;
  const double v_star = g.value_on_key + g.key_value * o.key - dot_v * o.value_on_key;
  const double v_vstar = g.value + g.key_value * o.key_on_value - dot_v * o.value;
  const double v_k =
      g.value_on_key * o.key + g.value * o.key_on_value + g.key_value - dot_v * o.key_value;
  // |tangent|^2 = tangent . gradient.
  const double k_norm2 = g.key * k_star + g.key_on_value * k_vstar + g.key_value * k_v;
  const double v_norm2 = g.value_on_key * v_star + g.value * v_vstar + g.key_value * v_k;
  // tangent_k . tangent_v = tangent_k . (g.theta k* + g.nu v* + g.rho k - dot_v v), k across itself
  // 0.
  const double both = g.value_on_key * k_star + g.value * k_vstar - dot_v * k_v;
  const double k_scale = 1 / std::sqrt(1 + rate * rate * k_norm2);
  const double v_scale = 1 / std::sqrt(1 + rate * rate * v_norm2);
  TokenOverlaps next;
  next.key = (o.key - rate * k_star) * k_scale;
  next.key_on_value = (o.key_on_value - rate * k_vstar) * k_scale;
  next.value_on_key = (o.value_on_key - rate * v_star) * v_scale;
  next.value = (o.value - rate * v_vstar) * v_scale;
  next.key_value = (o.key_value - rate * (k_v + v_k) + rate * rate * both) * k_scale * v_scale;
  return next;
}

std::array<double, 2> manifold_flow(const TokenModel& model, std::array<double, 2> start,
                                    const std::function<double(double)>& lambda, double from,
                                    double to, double step) {
  validate(model);
  require_range(to, from, 1e12, "to");
  const auto steps = std::max<Index>(1, static_cast<Index>(std::ceil((to - from) / step)));
  require_range(static_cast<double>(steps), 1, 1e8, "step");
  const double h = (to - from) / static_cast<double>(steps);
  using State = std::array<double, 2>;
  const auto field = [&](const State& x, double t) {
    const ManifoldSlope slope = manifold_slope(model, x[0], x[1], lambda(t));
    return State{-(1 - x[0] * x[0]) * slope.key, -(1 - x[1] * x[1]) * slope.value};
  };
  const auto moved = [](const State& x, const State& v, double by) {
    return State{x[0] + by * v[0], x[1] + by * v[1]};
  };
  State x = start;
  for (Index i = 0; i < steps; ++i) {
    const double t = from + h * static_cast<double>(i);
    const State a = field(x, t);
    const State b = field(moved(x, a, h / 2), t + h / 2);
    const State c = field(moved(x, b, h / 2), t + h / 2);
    const State d = field(moved(x, c, h), t + h);
    for (std::size_t j = 0; j < 2; ++j)
      x[j] = std::clamp(x[j] + h / 6 * (a[j] + 2 * b[j] + 2 * c[j] + d[j]), -1.0, 1.0);
  }
  return x;
}

TokenDescent::TokenDescent(const TokenModel& model, const LambdaSchedule& schedule, double rate,
                           Index batch, double label_noise, RandomStream random)
    : batch_(batch),
      token_noise_(model.token_noise),
      rate_(rate),
      label_noise_(label_noise),
      schedule_(schedule),
      random_(random) {
  validate(model);
  dimension_ = require_count(model.dimension, 4, 100000, "dimension");
  length_ = require_count(model.length, 1, 100000, "length");
  require_range(static_cast<double>(batch), 1, 10000, "batch");
  require_range(rate, 0, 1e6, "rate");
  require_range(label_noise, 0, 100, "noise");
  // The law is invariant under rotations, so the hidden vectors may be the first two axes.
  teacher_key_ = Vector::Unit(dimension_, 0);
  teacher_value_ = Vector::Unit(dimension_, 1);
  tokens_.resize(length_, dimension_);
  start_anywhere();
}

void TokenDescent::start_anywhere() {
  key_ = random_.gaussian_vector(dimension_).normalized();
  value_ = random_.gaussian_vector(dimension_).normalized();
}

void TokenDescent::start_on_manifold(double key, double value) {
  require_range(key, -1, 1, "startKey");
  require_range(value, -1, 1, "startValue");
  // k in the span of k* and a third axis, v in that of v* and a fourth one.
  key_.setZero();
  value_.setZero();
  key_[0] = key;
  key_[2] = std::sqrt(1 - key * key);
  value_[1] = value;
  value_[3] = std::sqrt(1 - value * value);
}

TokenOverlaps TokenDescent::overlaps() const {
  return {key_.dot(teacher_key_), value_.dot(teacher_value_), value_.dot(teacher_key_),
          key_.dot(teacher_value_), key_.dot(value_)};
}

void TokenDescent::step() {
  const double lambda = schedule_.at(static_cast<double>(steps_));
  Vector key_gradient = Vector::Zero(dimension_), value_gradient = Vector::Zero(dimension_);
  Vector scores(length_), outputs(length_), weights(length_), back(length_);
  for (Index n = 0; n < batch_; ++n) {
    random_.fill_gaussian({tokens_.data(), static_cast<std::size_t>(tokens_.size())});
    // The tokens are exchangeable for this predictor: the needle stands first.
    tokens_.row(0) *= std::sqrt(token_noise_);
    tokens_(0, 0) += std::sqrt(static_cast<double>(dimension_) / 2);
    const double label = tokens_(0, 1) + label_noise_ * random_.gaussian();
    scores.noalias() = tokens_ * key_;
    outputs.noalias() = tokens_ * value_;
    double prediction = 0;
    for (Index l = 0; l < length_; ++l) {
      weights[l] = portable::erf(lambda * scores[l]);
      prediction += weights[l] * outputs[l];
    }
    const double factor = 2 * (prediction - label) / static_cast<double>(batch_);
    for (Index l = 0; l < length_; ++l) {
      back[l] = factor * lambda * erf_slope(lambda * scores[l]) * outputs[l];
      weights[l] *= factor;
    }
    key_gradient.noalias() += tokens_.transpose() * back;
    value_gradient.noalias() += tokens_.transpose() * weights;
  }
  key_gradient -= key_gradient.dot(key_) * key_;
  value_gradient -= value_gradient.dot(value_) * value_;
  key_ = (key_ - rate_ * key_gradient).normalized();
  value_ = (value_ - rate_ * value_gradient).normalized();
  ++steps_;
}

}  // namespace attnlab::needle

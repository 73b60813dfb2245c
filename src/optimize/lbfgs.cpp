#include "optimize/lbfgs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/error.h"
#include "core/require.h"

namespace attnlab::optimize {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kDecrease = 1e-4;   // c1 of the Wolfe conditions
constexpr double kCurvature = 0.9;   // c2
constexpr double kRounding = 1e-14;  // relative error of a value
constexpr Index kLineTrials = 40;
constexpr Index kFlatSteps = 5;

// Minimum of the cubic through value and slope at both ends, kept inside the interval.
double interpolate(double low, double low_value, double low_slope, double high, double high_value,
                   double high_slope) {
  const double width = high - low;
  const double secant = (high_value - low_value) / width;
  const double d = low_slope + high_slope - 3 * secant;
  const double root = d * d - low_slope * high_slope;
  double at = low + 0.5 * width;
  if (root >= 0) {
    const double s = std::sqrt(root);
    const double bottom = high_slope - low_slope + 2 * s;
    if (bottom != 0) at = high - width * (high_slope + s - d) / bottom;
  }
  if (!(at > low + 0.1 * width)) return low + 0.1 * width;
  if (!(at < low + 0.9 * width)) return low + 0.9 * width;
  return at;
}

}  // namespace

Lbfgs::Lbfgs(Vector start, const LbfgsOptions& options)
    : options_(options), trial_(std::move(start)), accepted_(trial_) {
  if (trial_.size() < 1) fail(ErrorCode::kShape, "start", "at least one variable is expected");
  require_finite_vector(trial_, "start");
  require_range(static_cast<double>(options.memory), 1, 100, "memory");
  require_range(static_cast<double>(options.largest_evaluations), 1, 1e9, "evaluations");
  require_range(options.gradient_tolerance, 0, kInfinity, "gradientTolerance");
  require_range(options.value_tolerance, 0, 1, "valueTolerance");
  if (!(options.first_step > 0)) fail(ErrorCode::kOutOfRange, "firstStep", "must be positive");
}

double Lbfgs::gradient_size() const {
  return gradient_.size() == 0 ? kInfinity : gradient_.cwiseAbs().maxCoeff();
}

// - H gradient by the two-loop recursion.
Vector Lbfgs::direction() const {
  Vector q = -gradient_;
  Vector alpha(static_cast<Index>(pairs_.size()));
  for (Index i = alpha.size() - 1; i >= 0; --i) {
    const Pair& pair = pairs_[static_cast<std::size_t>(i)];
    alpha[i] = pair.inverse_curvature * pair.step.dot(q);
    q -= alpha[i] * pair.change;
  }
  if (!pairs_.empty()) {
    const Pair& last = pairs_.back();
    q *= 1 / (last.inverse_curvature * last.change.squaredNorm());
  }
  for (Index i = 0; i < alpha.size(); ++i) {
    const Pair& pair = pairs_[static_cast<std::size_t>(i)];
    q += pair.step * (alpha[i] - pair.inverse_curvature * pair.change.dot(q));
  }
  return q;
}

void Lbfgs::begin_line() {
  direction_ = direction();
  slope_ = direction_.dot(gradient_);
  if (!(slope_ < 0)) {  // the memory has lost its meaning to rounding
    pairs_.clear();
    direction_ = -gradient_;
    slope_ = -gradient_.squaredNorm();
  }
  length_ = pairs_.empty() ? options_.first_step / std::sqrt(-slope_) : 1.0;
  low_ = 0;
  high_ = kInfinity;
  low_value_ = value_;
  low_slope_ = slope_;
  line_trials_ = 0;
  trial_ = accepted_ + length_ * direction_;
}

void Lbfgs::accept(double value, const VectorRef& gradient) {
  if (started_) {
    Pair pair{trial_ - accepted_, gradient - gradient_, 0};
    const double curvature = pair.step.dot(pair.change);
    if (curvature > 1e-16 * pair.step.norm() * pair.change.norm()) {
      pair.inverse_curvature = 1 / curvature;
      if (static_cast<Index>(pairs_.size()) == options_.memory) pairs_.erase(pairs_.begin());
      pairs_.push_back(std::move(pair));
    }
    const double scale = std::max({std::fabs(value), std::fabs(value_), 1e-300});
    flat_steps_ = value_ - value <= options_.value_tolerance * scale ? flat_steps_ + 1 : 0;
    ++iterations_;
  }
  started_ = true;
  accepted_ = trial_;
  value_ = value;
  gradient_ = gradient;
  if (gradient_size() <= options_.gradient_tolerance) return finish(StopReason::kGradient);
  if (flat_steps_ >= kFlatSteps) return finish(StopReason::kDecrease);
  begin_line();
}

void Lbfgs::next_length(double value, double slope) {
  if (std::isinf(high_)) {
    length_ *= 2;
  } else if (std::isfinite(value) && low_ < length_ && length_ == high_) {
    length_ = interpolate(low_, low_value_, low_slope_, high_, value, slope);
  } else {
    length_ = 0.5 * (low_ + high_);
  }
  trial_ = accepted_ + length_ * direction_;
}

void Lbfgs::tell(double value, const VectorRef& gradient) {
  if (!running()) return;
  require_shape(gradient.size(), 1, trial_.size(), 1, "gradient");
  ++evaluations_;
  const bool finite = std::isfinite(value) && gradient.allFinite();
  if (!started_) {
    if (!finite) return finish(StopReason::kNotFinite);
    accept(value, gradient);
  } else {
    ++line_trials_;
    const double slope = finite ? gradient.dot(direction_) : kInfinity;
    const double rounding = kRounding * std::fabs(value_);
    // Where values differ by rounding only, the slope decides (Hager & Zhang 2005, eq. 2.3).
    const bool lower =
        finite && (value <= value_ + kDecrease * length_ * slope_ ||
                   (value <= value_ + rounding && slope <= (2 * kDecrease - 1) * slope_));
    if (!lower) {
      high_ = length_;
    } else if (slope < kCurvature * slope_) {
      low_ = length_;
      low_value_ = value;
      low_slope_ = slope;
    } else {
      accept(value, gradient);
      if (running() && evaluations_ >= options_.largest_evaluations)
        finish(StopReason::kEvaluations);
      return;
    }
    if (line_trials_ >= kLineTrials) {
      if (pairs_.empty()) return finish(StopReason::kLineSearch);
      pairs_.clear();  // once more along the plain gradient
      begin_line();
    } else {
      next_length(finite ? value : kInfinity, slope);
    }
  }
  if (running() && evaluations_ >= options_.largest_evaluations) finish(StopReason::kEvaluations);
}

Minimum minimise(const Objective& objective, Vector start, const LbfgsOptions& options) {
  Lbfgs search(std::move(start), options);
  Vector gradient(search.point().size());
  while (search.running()) {
    const double value = objective(search.point(), gradient);
    search.tell(value, gradient);
  }
  return {search.best(),        search.value(),      search.gradient_size(),
          search.evaluations(), search.iterations(), search.reason()};
}

}  // namespace attnlab::optimize

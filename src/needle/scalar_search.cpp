#include "needle/scalar_search.h"

#include <cmath>
#include <utility>

namespace attnlab::needle {

namespace {

constexpr double kGolden = 0.3819660112501051;
constexpr int kBrentSteps = 100;

}  // namespace

ScalarSearch::ScalarSearch(double lower, double upper, int points, double width)
    : lower_(lower),
      spacing_((upper - lower) / (points - 1)),
      width_(width),
      points_(points),
      trial_(lower) {}

double ScalarSearch::progress() const {
  constexpr double kUsualBrentSteps = 20;
  return running_ ? std::fmin(0.99, told_ / (points_ + kUsualBrentSteps)) : 1.0;
}

void ScalarSearch::tell(double value) {
  if (!running_) return;
  if (told_ < points_)
    tell_grid(value);
  else
    tell_brent(value);
}

void ScalarSearch::tell_grid(double value) {
  if (told_ == 0 || value < best_value_) {
    best_ = trial_;
    best_value_ = value;
    best_at_ = told_;
  }
  if (++told_ < points_) {
    trial_ = lower_ + spacing_ * told_;
    return;
  }
  low_ = best_at_ == 0 ? best_ : best_ - spacing_;
  high_ = best_at_ == points_ - 1 ? best_ : best_ + spacing_;
  second_ = third_ = best_;
  second_value_ = third_value_ = best_value_;
  next_trial();
}

// Brent (1973), "Algorithms for minimization without derivatives", chapter 5: golden sections,
// replaced by a parabola through the three best points where that is trusted.
void ScalarSearch::next_trial() {
  const double middle = 0.5 * (low_ + high_);
  const double tolerance = 0.5 * width_ + 1e-10 * std::fabs(best_);
  if (std::fabs(best_ - middle) <= 2 * tolerance - 0.5 * (high_ - low_) ||
      told_ > points_ + kBrentSteps) {
    running_ = false;
    return;
  }
  bool parabola = false;
  if (std::fabs(earlier_) > tolerance) {
    const double r = (best_ - second_) * (best_value_ - third_value_);
    double q = (best_ - third_) * (best_value_ - second_value_);
    double p = (best_ - third_) * q - (best_ - second_) * r;
    q = 2 * (q - r);
    if (q > 0) p = -p;
    q = std::fabs(q);
    const double before = earlier_;
    earlier_ = step_;
    if (std::fabs(p) < std::fabs(0.5 * q * before) && p > q * (low_ - best_) &&
        p < q * (high_ - best_)) {
      step_ = p / q;
      const double at = best_ + step_;
      if (at - low_ < 2 * tolerance || high_ - at < 2 * tolerance)
        step_ = best_ < middle ? tolerance : -tolerance;
      parabola = true;
    }
  }
  if (!parabola) {
    earlier_ = best_ < middle ? high_ - best_ : low_ - best_;
    step_ = kGolden * earlier_;
  }
  trial_ = best_ + (std::fabs(step_) >= tolerance ? step_ : (step_ > 0 ? tolerance : -tolerance));
}

void ScalarSearch::tell_brent(double value) {
  ++told_;
  if (value <= best_value_) {
    (trial_ < best_ ? high_ : low_) = best_;
    third_ = std::exchange(second_, std::exchange(best_, trial_));
    third_value_ = std::exchange(second_value_, std::exchange(best_value_, value));
  } else {
    (trial_ < best_ ? low_ : high_) = trial_;
    if (value <= second_value_ || second_ == best_) {
      third_ = std::exchange(second_, trial_);
      third_value_ = std::exchange(second_value_, value);
    } else if (value <= third_value_ || third_ == best_ || third_ == second_) {
      third_ = trial_;
      third_value_ = value;
    }
  }
  next_trial();
}

ScalarMinimum minimise_scalar(const std::function<double(double)>& function, double lower,
                              double upper, int points, double width) {
  ScalarSearch search(lower, upper, points, width);
  while (search.running())
    search.tell(function(search.argument()));
  return search.best();
}

}  // namespace attnlab::needle

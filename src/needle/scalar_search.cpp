#include "needle/scalar_search.h"

#include <cmath>
#include <utility>

namespace attnlab::needle {

namespace {

// Brent (1973), "Algorithms for minimization without derivatives", chapter 5: golden sections,
// replaced by a parabola through the three best points where that is trusted.
ScalarMinimum brent(const std::function<double(double)>& function, double low, double high,
                    double start, double start_value, double width) {
  constexpr double kGolden = 0.3819660112501051;
  double best = start, second = start, third = start;
  double best_value = start_value, second_value = start_value, third_value = start_value;
  double step = 0, earlier = 0;
  for (int i = 0; i < 100; ++i) {
    const double middle = 0.5 * (low + high);
    const double tolerance = 0.5 * width + 1e-10 * std::fabs(best);
    if (std::fabs(best - middle) <= 2 * tolerance - 0.5 * (high - low)) break;
    bool parabola = false;
    if (std::fabs(earlier) > tolerance) {
      const double r = (best - second) * (best_value - third_value);
      double q = (best - third) * (best_value - second_value);
      double p = (best - third) * q - (best - second) * r;
      q = 2 * (q - r);
      if (q > 0) p = -p;
      q = std::fabs(q);
      const double before = earlier;
      earlier = step;
      if (std::fabs(p) < std::fabs(0.5 * q * before) && p > q * (low - best) &&
          p < q * (high - best)) {
        step = p / q;
        const double trial = best + step;
        if (trial - low < 2 * tolerance || high - trial < 2 * tolerance)
          step = best < middle ? tolerance : -tolerance;
        parabola = true;
      }
    }
    if (!parabola) {
      earlier = best < middle ? high - best : low - best;
      step = kGolden * earlier;
    }
    const double trial =
        best + (std::fabs(step) >= tolerance ? step : (step > 0 ? tolerance : -tolerance));
    const double value = function(trial);
    if (value <= best_value) {
      (trial < best ? high : low) = best;
      third = std::exchange(second, std::exchange(best, trial));
      third_value = std::exchange(second_value, std::exchange(best_value, value));
    } else {
      (trial < best ? low : high) = trial;
      if (value <= second_value || second == best) {
        third = std::exchange(second, trial);
        third_value = std::exchange(second_value, value);
      } else if (value <= third_value || third == best || third == second) {
        third = trial;
        third_value = value;
      }
    }
  }
  return {best, best_value};
}

}  // namespace

ScalarMinimum minimise_scalar(const std::function<double(double)>& function, double lower,
                              double upper, int points, double width) {
  const double spacing = (upper - lower) / (points - 1);
  ScalarMinimum best{lower, function(lower)};
  int at = 0;
  for (int i = 1; i < points; ++i) {
    const double argument = lower + spacing * i;
    const double value = function(argument);
    if (value < best.value) {
      best = {argument, value};
      at = i;
    }
  }
  const double low = at == 0 ? lower : best.argument - spacing;
  const double high = at == points - 1 ? upper : best.argument + spacing;
  return brent(function, low, high, best.argument, best.value, width);
}

}  // namespace attnlab::needle

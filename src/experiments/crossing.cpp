#include "experiments/crossing.h"

#include <cmath>
#include <limits>

#include "core/portable.h"

namespace attnlab::experiments {
namespace {

double first_below(std::span<const double> x, std::span<const double> y,
                   std::span<const double> error, double shift, double level) {
  bool seen = false;
  double last_x = 0;
  double last_y = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    // Never at or below zero: a point all of whose value is error has crossed.
    const double value = std::fmax(y[i] + shift * error[i], 1e-3 * y[i]);
    if (!std::isfinite(value) || !(value > 0)) continue;
    if (value <= level) {
      if (!seen) return x[i];
      const double share = portable::log(last_y / level) / portable::log(last_y / value);
      return last_x * portable::exp(share * portable::log(x[i] / last_x));
    }
    seen = true;
    last_x = x[i];
    last_y = value;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

Crossing crossing(std::span<const double> x, std::span<const double> y,
                  std::span<const double> error, double level) {
  return {first_below(x, y, error, 0, level), first_below(x, y, error, -2, level),
          first_below(x, y, error, 2, level)};
}

}  // namespace attnlab::experiments

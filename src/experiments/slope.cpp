#include "experiments/slope.h"

#include <cmath>
#include <limits>
#include <vector>

#include "core/portable.h"

namespace attnlab::experiments {

Slope log_slope(std::span<const double> x, std::span<const double> y, std::span<const double> error,
                double from) {
  std::vector<std::size_t> used;
  double mean = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const bool fits = x[i] >= from && std::isfinite(y[i]) && y[i] > 0 && std::isfinite(error[i]);
    if (!fits) continue;
    used.push_back(i);
    mean += portable::log(x[i]);
  }
  mean /= static_cast<double>(used.size());
  double spread = 0;
  double product = 0;
  double variance = 0;
  for (const std::size_t i : used) {
    const double offset = portable::log(x[i]) - mean;
    spread += offset * offset;
    product += offset * portable::log(y[i]);
    variance += offset * offset * (error[i] / y[i]) * (error[i] / y[i]);
  }
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  const auto points = static_cast<Index>(used.size());
  if (used.size() < 2 || !(spread > 0)) return {kNaN, kNaN, points};
  return {product / spread, std::sqrt(variance) / spread, points};
}

}  // namespace attnlab::experiments

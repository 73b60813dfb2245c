#include "measure/query_law.h"

#include <cmath>
#include <limits>

#include "core/portable.h"
#include "core/require.h"

namespace attnlab::measure {

double gaussian_query_constant(Index dimension, double strength) {
  require_range(static_cast<double>(dimension), 1, 1e6, "dimension");
  require_range(strength, 0, 1e12, "strength");
  if (strength >= 0.5) return std::numeric_limits<double>::infinity();
  const auto d = static_cast<double>(dimension);
  const double rest = 1 - 2 * strength;
  return d * portable::pow(rest, -d / 2) * (1 + strength / rest);
}

double gaussian_query_exponent(double strength) {
  require_range(strength, 1e-12, 1e12, "strength");
  return strength <= 0.5 ? 1.0 : (std::sqrt(1 + 4 / strength) - 1) / 2;
}

}  // namespace attnlab::measure

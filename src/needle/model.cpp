#include "needle/model.h"

#include <cmath>
#include <limits>

#include "core/error.h"
#include "core/nearest_name.h"
#include "core/require.h"

namespace attnlab::needle {

namespace {

// Beyond them the quadratures of the population risk would need too many nodes; the risks are 0 to
// all digits long before.
constexpr double kLargestSpikedSnr = 1000;
constexpr double kLargestMaxSnr = 64;

}  // namespace

Model model_named(std::string_view name) {
  if (name == "spiked") return Model::kSpiked;
  if (name == "max") return Model::kMax;
  fail_unknown("model", name, {"spiked", "max"});
}

void validate(const Problem& problem) {
  const bool infinite_allowed = problem.model == Model::kMax;
  if (!(infinite_allowed && problem.snr == std::numeric_limits<double>::infinity())) {
    if (std::isinf(problem.snr) && problem.snr > 0)
      fail(ErrorCode::kOutOfRange, "snr", "Infinity is allowed for the model \"max\" only");
    require_range(problem.snr, 0, infinite_allowed ? kLargestMaxSnr : kLargestSpikedSnr, "snr");
  }
  require_range(static_cast<double>(problem.lengths.minimum), 1, 1000, "length");
  require_range(static_cast<double>(problem.lengths.maximum),
                static_cast<double>(problem.lengths.minimum), 1000, "length");
  require_range(problem.noise, 0, 100, "noise");
}

double posterior_scale(const Problem& problem) {
  return problem.model == Model::kSpiked ? std::sqrt(problem.snr) : problem.snr;
}

}  // namespace attnlab::needle

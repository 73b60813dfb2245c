#include "needle/monte_carlo_risk.h"

#include <cmath>

#include "core/error.h"
#include "core/require.h"
#include "needle/sampler.h"
#include "needle/teacher_scores.h"

namespace attnlab::needle {

Overlaps overlaps_of(const VectorRef& key, const VectorRef& value, const Teacher& teacher) {
  const auto dimension = static_cast<double>(teacher.key.size());
  require_shape(key.size(), 1, teacher.key.size(), 1, "key");
  require_shape(value.size(), 1, teacher.key.size(), 1, "value");
  Overlaps overlaps;
  overlaps.key = key.dot(teacher.key) / dimension;
  overlaps.key_power = key.squaredNorm() / dimension;
  overlaps.value = value.dot(teacher.value) / dimension;
  overlaps.value_power = value.squaredNorm() / dimension;
  overlaps.key_on_value = key.dot(teacher.value) / dimension;
  overlaps.value_on_key = value.dot(teacher.key) / dimension;
  overlaps.key_value = key.dot(value) / dimension;
  return overlaps;
}

namespace {

// (z*, z) given (chi*, zeta) with chi = m chi* + s zeta: linear in both, the rest independent
// noise.
struct ConditionalOutputs {
  double spread = 0;           // s
  double target_on_noise = 0;  // z* on zeta; z* does not depend on chi*
  double output_on_key = 0;    // z on chi*
  double output_on_noise = 0;  // z on zeta
  double target_left = 0, output_left = 0, cross_left = 0;  // covariance of what is left
};

ConditionalOutputs condition(const Overlaps& o) {
  ConditionalOutputs c;
  c.spread = std::sqrt(std::fmax(0.0, o.key_power - o.key * o.key));
  c.output_on_key = o.value_on_key;
  if (c.spread > 1e-12 * std::sqrt(o.key_power)) {
    c.target_on_noise = o.key_on_value / c.spread;
    c.output_on_noise = (o.key_value - o.key * o.value_on_key) / c.spread;
  } else {
    c.spread = 0;
  }
  c.target_left = 1 - c.target_on_noise * c.target_on_noise;
  c.output_left =
      o.value_power - c.output_on_key * c.output_on_key - c.output_on_noise * c.output_on_noise;
  c.cross_left = o.value - c.target_on_noise * c.output_on_noise;
  return c;
}

// Least squares on two controls of mean zero, from running sums.
class TwoControls {
 public:
  void add(double value, double a, double b) {
    const double row[4] = {1, value, a, b};
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j <= i; ++j)
        sums_[i][j] += row[i] * row[j];
  }
  RiskEstimate estimate() const {
    const double n = sums_[0][0];
    const auto covariance = [&](int i, int j) {
      return (i >= j ? sums_[i][j] : sums_[j][i]) / n - sums_[i][0] / n * (sums_[j][0] / n);
    };
    const double aa = covariance(2, 2), bb = covariance(3, 3), ab = covariance(2, 3);
    const double va = covariance(1, 2), vb = covariance(1, 3);
    const double determinant = aa * bb - ab * ab;
    double on_a = 0, on_b = 0;
    if (determinant > 1e-9 * aa * bb) {
      on_a = (va * bb - vb * ab) / determinant;
      on_b = (vb * aa - va * ab) / determinant;
    } else if (aa > 0) {
      on_a = va / aa;
    }
    RiskEstimate result;
    result.risk = sums_[1][0] / n - on_a * (sums_[2][0] / n) - on_b * (sums_[3][0] / n);
    const double left = covariance(1, 1) - on_a * va - on_b * vb;
    result.standard_error = std::sqrt(std::fmax(left, 0.0) / (n - 1));
    return result;
  }

 private:
  double sums_[4][4] = {};
};

}  // namespace

RiskEstimate risk_monte_carlo(const Problem& problem, Kernel kernel, double bias,
                              const Overlaps& overlaps, Index samples, RandomStream& random) {
  return risk_monte_carlo(
      problem,
      [kernel, bias](const double* scores, Index length, double* weights) {
        attend(kernel, bias, scores, length, weights);
      },
      overlaps, samples, random);
}

RiskEstimate risk_monte_carlo(const Problem& problem, const WeightRule& rule,
                              const Overlaps& overlaps, Index samples, RandomStream& random) {
  validate(problem);
  require_range(static_cast<double>(samples), 2, 1e9, "samples");
  const ConditionalOutputs c = condition(overlaps);
  if (!std::isfinite(c.output_left + c.spread) || overlaps.key_power < -1e-12 ||
      overlaps.key_power - overlaps.key * overlaps.key < -1e-9 * (1 + overlaps.key_power) ||
      c.target_left < -1e-9 || c.output_left < -1e-9 * (1 + overlaps.value_power))
    fail(ErrorCode::kDomain, "overlaps", "no vectors have these inner products");

  const double needle_mean = MomentEvaluator(problem, Kernel::kLinear).needle_mean();
  const double lift = overlaps.key * needle_mean;
  const bool spiked = problem.model == Model::kSpiked;
  const double power_mean =
      problem.lengths.mean() * overlaps.key_power + (spiked ? lift * lift : 0);
  const Index room = problem.lengths.maximum;
  Vector teacher_scores(room), noise(room), scores(room), weights(room);
  TwoControls controls;
  for (Index n = 0; n < samples; ++n) {
    const ScoredPrompt prompt = draw_teacher_scores(problem, random, teacher_scores.data());
    random.fill_gaussian({noise.data(), static_cast<std::size_t>(prompt.length)});
    double power = 0;
    for (Index l = 0; l < prompt.length; ++l) {
      scores[l] = overlaps.key * teacher_scores[l] + c.spread * noise[l];
      power += scores[l] * scores[l];
    }
    rule(scores.data(), prompt.length, weights.data());
    double output = 0, weight_square = 0;
    for (Index l = 0; l < prompt.length; ++l) {
      output += weights[l] * (c.output_on_key * teacher_scores[l] + c.output_on_noise * noise[l]);
      weight_square += weights[l] * weights[l];
    }
    const double miss = c.target_on_noise * noise[prompt.needle] - output;
    const double value = miss * miss + c.target_left - 2 * weights[prompt.needle] * c.cross_left +
                         weight_square * c.output_left;
    controls.add(value, scores[prompt.needle] - lift, power - power_mean);
  }
  return controls.estimate();
}

}  // namespace attnlab::needle

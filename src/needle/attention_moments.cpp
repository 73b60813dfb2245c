#include "needle/attention_moments.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/portable.h"
#include "core/require.h"
#include "core/special.h"
#include "needle/length_polynomial.h"
#include "needle/normalised_moments.h"

namespace attnlab::needle {

namespace {

constexpr double kReach = 9.5;
constexpr double kSmallNoise = 0.05;

// The law of the needle's chi* under max: nodes and masses.
void needle_law(const Problem& problem, Vector& nodes, Vector& masses) {
  const bool infinite = std::isinf(problem.snr);
  const TokenRule rule =
      token_rule(Kernel::kSoftmax, problem.snr > 0 && !infinite ? problem.snr : 1, -kReach, kReach,
                 infinite ? 0.05 : token_step(problem.snr));
  nodes = rule.points;
  masses.setZero(nodes.size());
  const LengthPolynomial each(problem.lengths, TokenCount::kEach);
  if (infinite) {
    for (Index i = 0; i < nodes.size(); ++i)
      masses[i] = rule.weights[i] * normal_density(nodes[i]) * each(normal_cdf(nodes[i]));
    return;
  }
  Vector density(nodes.size());
  for (Index i = 0; i < nodes.size(); ++i)
    density[i] = rule.weights[i] * normal_density(nodes[i]);
  if (problem.snr == 0) {
    masses = density;
    return;
  }
  const TimeRule times = time_rule(Kernel::kSoftmax, problem.snr, rule.log_values.minCoeff(),
                                   rule.log_values.maxCoeff());
  Vector bump(nodes.size());
  for (Index j = 0; j < times.points.size(); ++j) {
    double kept = 0;
    for (Index i = 0; i < nodes.size(); ++i) {
      const double exponent = times.points[j] + rule.log_values[i];
      bump[i] = 0;
      if (exponent > kAllDecayed) continue;
      const double rate = exponent < kNoDecay ? 0.0 : portable::exp(exponent);
      const double decay = density[i] * (rate < 1e-17 ? 1.0 : portable::exp(-rate));
      kept += decay;
      bump[i] = decay * rate;
    }
    masses += (times.weights[j] * each(kept)) * bump;
  }
}

// sigma of the element-wise kernels: erf, or 1 + erf, which far below 0 keeps its digits as erfc.
double sigma(Kernel kernel, double x) {
  return kernel == Kernel::kErf ? portable::erfc(-x) : portable::erf(x);
}

// Weights whose mean square is below this have lost their digits, or are on the way to it.
constexpr double kSmallestSquare = 1e-280;

// E sigma(t + g G)^2 for G ~ N(0, 1).
double square_mean(Kernel kernel, double t, double g) {
  const auto square = [&](double x) {
    const double value = sigma(kernel, x);
    return value * value;
  };
  g = std::fabs(g);
  if (g == 0) return square(t);
  const double step = std::min(0.2, 0.45 / g);
  const auto half = static_cast<Index>(kReach / step) + 1;
  // Far below 0, erfc(-x)^2 is like e^(-2 x^2) and moves the peak of the integrand, which is
  // log-concave and falls from there at least as fast as the normal density.
  const double peak = kernel == Kernel::kErf && t < 0 ? -4 * g * t / (1 + 4 * g * g) : 0.0;
  double sum = 0;
  for (Index i = -half; i <= half; ++i) {
    const double x = peak + step * static_cast<double>(i);
    sum += normal_density(x) * square(t + g * x);
  }
  return step * sum;
}

// Var sigma(t + g G), mean = E sigma: near 1 or 2 by way of the distance from there, which is erfc.
double variance(Kernel kernel, double t, double g, double mean, double square) {
  if (kernel == Kernel::kErfToken) t = std::fabs(t);
  if (!(t > 0)) return square - mean * mean;
  const double distance = portable::erfc(t / std::sqrt(1 + 2 * g * g));
  return square_mean(Kernel::kErf, -t, g) - distance * distance;
}

}  // namespace

double erf_square_mean(double t, double g) {
  return square_mean(Kernel::kErfToken, t, g);
}

double expected_maximum(Index length) {
  require_range(static_cast<double>(length), 1, 1000, "length");
  if (length == 1) return 0;
  const LengthPolynomial each({length, length}, TokenCount::kEach);
  constexpr double kStep = 0.05;
  double sum = 0;
  for (Index i = -190; i <= 190; ++i) {
    const double x = kStep * static_cast<double>(i);
    sum += x * normal_density(x) * each(normal_cdf(x));
  }
  return kStep * sum;
}

MomentEvaluator::MomentEvaluator(const Problem& problem, Kernel kernel)
    : problem_(problem), kernel_(kernel) {
  validate(problem);
  if (problem.model == Model::kSpiked) {
    needle_mean_ = std::sqrt(problem.snr);
    return;
  }
  if (is_normalised(kernel)) return;
  needle_law(problem, needle_nodes_, needle_weights_);
  needle_mean_ = needle_nodes_.dot(needle_weights_);
}

AttentionMoments MomentEvaluator::at(const KeyAlignment& alignment) const {
  const bool argmax = problem_.model == Model::kMax && std::isinf(problem_.snr);
  if (argmax && std::isinf(alignment.scale) && alignment.noise == 0) {
    if (kernel_ == Kernel::kSoftmax) return {1, 1, 0};
    if (kernel_ == Kernel::kSoftplus) return argmax_softplus_limit(problem_);
  }
  require_range(alignment.scale, 0, 1000, "scale");
  require_range(alignment.noise, 0, 1000, "keyNoise");
  require_finite(alignment.bias, "bias");
  if (kernel_ == Kernel::kLinear || kernel_ == Kernel::kCentredLinear) return linear(alignment);
  if (is_elementwise(kernel_)) return elementwise(alignment);
  if (kernel_ == Kernel::kRelu) {
    if (!(alignment.scale + alignment.noise > 0))
      fail(ErrorCode::kDomain, "scale", "relu has no weight at all when every score is 0");
    if (problem_.model == Model::kMax && alignment.noise > 0)
      fail(ErrorCode::kDomain, "keyNoise", "relu under max is computed for aligned keys only");
  }
  if (problem_.model == Model::kSpiked)
    return spiked_normalised_moments(problem_, kernel_, alignment);
  if (alignment.noise > 0 && alignment.noise < kSmallNoise) {
    // The moments are smooth in the noise's square; a straight line spares a very fine grid.
    const AttentionMoments clean = at({alignment.scale, 0, alignment.bias});
    const AttentionMoments noisy = at({alignment.scale, kSmallNoise, alignment.bias});
    const double share = alignment.noise * alignment.noise / (kSmallNoise * kSmallNoise);
    return {clean.needle + share * (noisy.needle - clean.needle),
            clean.square + share * (noisy.square - clean.square),
            clean.gap + share * (noisy.gap - clean.gap)};
  }
  if (argmax) return argmax_normalised_moments(problem_, kernel_, alignment);
  return max_normalised_moments(problem_, kernel_, alignment);
}

// Exact: sigma is affine in chi. L enters through E L and, for the centred kernel, E 1/L.
AttentionMoments MomentEvaluator::linear(const KeyAlignment& alignment) const {
  const double m = alignment.scale;
  const double power = m * m + alignment.noise * alignment.noise;
  const double length = problem_.lengths.mean();
  const bool spiked = problem_.model == Model::kSpiked;
  const double lift = m * needle_mean_;  // E chi_needle
  // Under max, B is an average over prompts of independent N(0, 1) scores: no shift.
  const double lift_square = spiked ? lift * lift : 0.0;
  AttentionMoments moments;
  if (kernel_ == Kernel::kLinear) {
    moments.needle = 1 + lift;
    moments.square = length * (1 + power) + lift_square + (spiked ? 2 * lift : 0.0);
  } else {
    double inverse = 0;  // E 1/L
    for (Index l = problem_.lengths.minimum; l <= problem_.lengths.maximum; ++l)
      inverse += problem_.lengths.probability() / static_cast<double>(l);
    moments.needle = 1 + lift * (spiked ? 1 - inverse : 1.0);
    moments.square = length + power * (length - 1) + lift_square * (1 - inverse);
  }
  moments.gap = moments.square - moments.needle * moments.needle;
  return moments;
}

AttentionMoments MomentEvaluator::elementwise(const KeyAlignment& alignment) const {
  const double power = alignment.scale * alignment.scale + alignment.noise * alignment.noise;
  const double spread = std::sqrt(power);
  // E erf(t + g G) = erf(t / sqrt(1 + 2 g^2)).
  const auto mean = [&](double shift, double variance) {
    return sigma(kernel_, (alignment.bias + shift) / std::sqrt(1 + 2 * variance));
  };
  const auto square = [&](double shift) {
    return square_mean(kernel_, alignment.bias + shift, spread);
  };
  const double length = problem_.lengths.mean();
  AttentionMoments moments;
  if (problem_.model == Model::kSpiked) {
    const double shift = alignment.scale * needle_mean_;
    const double others = (length - 1) * square(0);
    const double own = square(shift);
    moments.needle = mean(shift, power);
    moments.square = own + others;
    moments.gap = others + variance(kernel_, alignment.bias + shift, spread, moments.needle, own);
  } else {
    double sum = 0;
    for (Index i = 0; i < needle_nodes_.size(); ++i)
      sum += needle_weights_[i] *
             mean(alignment.scale * needle_nodes_[i], alignment.noise * alignment.noise);
    moments.needle = sum;
    moments.square = length * square(0);
    moments.gap = moments.square - moments.needle * moments.needle;
  }
  return moments.square < kSmallestSquare ? AttentionMoments{} : moments;
}

}  // namespace attnlab::needle

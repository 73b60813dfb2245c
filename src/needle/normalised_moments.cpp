#include "needle/normalised_moments.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/portable.h"
#include "core/special.h"
#include "needle/length_polynomial.h"

namespace attnlab::needle {

namespace {

// log psi under softplus; far below 0 it is x to all digits.
double log_softplus(double x) {
  return x < -36 ? x : portable::log(softplus(x));
}

double log_value(Kernel kernel, double score) {
  if (kernel == Kernel::kSoftmax) return score;
  if (kernel == Kernel::kSoftplus) return log_softplus(score);
  return portable::log(score);  // relu, score > 0
}

constexpr double kReach = 9.5;  // the normal law beyond it weighs less than 1e-20

}  // namespace

double token_step(double scale) {
  // Trapezoidal rule: error about exp(-2 pi a/h) with a = pi/(2 s), the half-width of the strip
  // where Re e^(s x) > 0.
  const double s = std::fabs(scale);
  return s > 0 ? std::min(0.2, 0.27 / s) : 0.2;
}

TimeRule time_rule(Kernel kernel, double scale, double lowest_log, double highest_log) {
  // e^x e^(-e^x) is analytic in a strip of half-width pi/2; a Gaussian of width s smooths further.
  constexpr double kStep = 0.28;
  const double stretch = std::max(1.0, std::fabs(scale) / 3);
  const double first = -highest_log - 40;
  const double last = -lowest_log + 5;
  std::vector<double> points, weights;
  if (kernel == Kernel::kSoftplus && stretch > 1) {
    // u = w + (stretch - 1) log(1 + e^(w - 8)): unit steps below u = 8, long ones above.
    for (double w = first;; w += kStep) {
      const double u = w + (stretch - 1) * softplus(w - 8);
      if (u > last) break;
      points.push_back(u);
      weights.push_back(kStep * (1 + (stretch - 1) * sigmoid(w - 8)));
    }
  } else {
    const double step = kernel == Kernel::kSoftmax ? kStep * stretch : kStep;
    for (double u = first; u <= last; u += step) {
      points.push_back(u);
      weights.push_back(step);
    }
  }
  const auto count = static_cast<Index>(points.size());
  return {Eigen::Map<Vector>(points.data(), count), Eigen::Map<Vector>(weights.data(), count)};
}

TokenRule token_rule(Kernel kernel, double scale, double lower, double upper, double step) {
  TokenRule rule;
  if (kernel != Kernel::kRelu) {
    const auto count = static_cast<Index>(std::ceil((upper - lower) / step)) + 1;
    rule.points.resize(count);
    rule.weights.setConstant(count, step);
    for (Index i = 0; i < count; ++i)
      rule.points[i] = lower + step * static_cast<double>(i);
  } else {
    // point = log(1 + e^w): like e^w near the kink, like w far from it.
    rule.has_empty = true;
    const double start = -38;
    const double fine = std::min(step, 0.15);
    const auto count = static_cast<Index>(std::ceil((upper - start) / fine)) + 1;
    rule.points.resize(count);
    rule.weights.resize(count);
    for (Index i = 0; i < count; ++i) {
      const double w = start + fine * static_cast<double>(i);
      rule.points[i] = softplus(w);
      rule.weights[i] = fine * sigmoid(w);
    }
  }
  rule.log_values.resize(rule.points.size());
  for (Index i = 0; i < rule.points.size(); ++i)
    rule.log_values[i] = log_value(kernel, scale * rule.points[i]);
  return rule;
}

AttentionMoments moments_from_misses(double miss, double overlap, double empty) {
  AttentionMoments moments;
  moments.needle = 1 - miss;
  moments.square = 1 - empty - overlap;
  // B - A^2 = (1 - empty - overlap) - (1 - miss)^2, without the ones.
  moments.gap = 2 * miss - overlap - empty - miss * miss;
  return moments;
}

AttentionMoments spiked_normalised_moments(const Problem& problem, Kernel kernel,
                                           const KeyAlignment& alignment) {
  const double root_snr = std::sqrt(problem.snr);
  const double spread =
      std::sqrt(alignment.scale * alignment.scale + alignment.noise * alignment.noise);
  // In units of the spread of chi, the needle sits at `shift`.
  const double shift = spread > 0 ? alignment.scale * root_snr / spread : 0.0;
  // Where the needle is nearly certain, what is missed comes from halfway between the two laws.
  const double reach = kReach + 0.25 * std::fabs(shift);
  const double steepness = kernel == Kernel::kRelu ? 1.0 : spread;
  const TokenRule rule = token_rule(kernel, std::max(steepness, 1e-8), std::min(0.0, shift) - reach,
                                    std::max(0.0, shift) + reach, token_step(steepness));
  const Index count = rule.points.size();
  Vector needle(count), other(count);
  for (Index i = 0; i < count; ++i) {
    needle[i] = rule.weights[i] * normal_density(rule.points[i] - shift);
    other[i] = rule.weights[i] * normal_density(rule.points[i]);
  }
  const double empty_needle = rule.has_empty ? normal_cdf(-shift) : 0.0;
  const double empty_other = rule.has_empty ? 0.5 : 0.0;

  const LengthPolynomial one(problem.lengths, TokenCount::kOne);
  const LengthPolynomial others(problem.lengths, TokenCount::kOther);
  const LengthPolynomial pairs(problem.lengths, TokenCount::kOtherPairs);
  const TimeRule times =
      time_rule(kernel, steepness, rule.log_values.minCoeff(), rule.log_values.maxCoeff());
  double miss = 0;
  double overlap = 0;
  for (Index j = 0; j < times.points.size(); ++j) {
    double f_needle = empty_needle, f_other = empty_other;  // E e^(-t psi)
    double g_needle = 0, g_other = 0;                       // E t psi e^(-t psi)
    for (Index i = 0; i < count; ++i) {
      const double exponent = times.points[j] + rule.log_values[i];
      if (exponent > kAllDecayed) continue;
      const double rate = exponent < kNoDecay ? 0.0 : portable::exp(exponent);
      const double decay = rate < 1e-17 ? 1.0 : portable::exp(-rate);
      f_needle += needle[i] * decay;
      f_other += other[i] * decay;
      g_needle += needle[i] * decay * rate;
      g_other += other[i] * decay * rate;
    }
    const double with_others = others(f_other);
    miss += times.weights[j] * g_other * f_needle * with_others;
    overlap += times.weights[j] * g_other *
               (2 * g_needle * with_others + g_other * f_needle * pairs(f_other));
  }
  const double empty = rule.has_empty ? empty_needle * one(empty_other) : 0.0;
  return moments_from_misses(miss + empty, overlap, empty);
}

}  // namespace attnlab::needle

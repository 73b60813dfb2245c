// Normalised kernels under max-SLR: finite nu needs the two sums of exponentials at once, nu =
// Infinity the running law of the tokens below the needle.
#include <algorithm>
#include <cmath>

#include "core/portable.h"
#include "core/special.h"
#include "needle/length_polynomial.h"
#include "needle/max_misses.h"
#include "needle/normalised_moments.h"

namespace attnlab::needle {

namespace {

constexpr double kReach = 9.5;
// P(every chi < 0): relu then has no weight to give.
double dark_probability(const Lengths& lengths) {
  double sum = 0;
  for (Index length = lengths.minimum; length <= lengths.maximum; ++length)
    sum += lengths.probability() * portable::pow(0.5, static_cast<double>(length));
  return sum;
}

// log psi of the smooth kernels.
double log_smooth(Kernel kernel, double score) {
  return kernel == Kernel::kSoftmax || score < -36 ? score : portable::log(softplus(score));
}

// log psi on a grid of chi, and how chi spreads around scale x at each point x: row i of `spread`
// averages over chi = scale x_i + noise zeta by the trapezoidal rule.
struct NoisyScores {
  Vector log_values;
  Matrix spread;  // points x scores
};

NoisyScores noisy_scores(Kernel kernel, const Vector& points, double scale, double noise) {
  const double reach = kReach * (scale + noise);
  const double step = std::min(0.25, 0.75 * noise);
  const auto count = static_cast<Index>(std::ceil(2 * reach / step)) + 1;
  NoisyScores scores{Vector(count), Matrix::Zero(points.size(), count)};
  for (Index j = 0; j < count; ++j) {
    const double chi = -reach + step * static_cast<double>(j);
    scores.log_values[j] = log_smooth(kernel, chi);
    for (Index i = 0; i < points.size(); ++i) {
      const double zeta = (chi - scale * points[i]) / noise;
      if (std::fabs(zeta) < kReach) scores.spread(i, j) = step / noise * normal_density(zeta);
    }
  }
  return scores;
}

// The tokens of a rule on both sides of relu's kink: negative points keep the weights of the
// positive ones and have psi = 0.
Vector mirrored(const Vector& positive, double sign) {
  Vector all(2 * positive.size());
  for (Index i = 0; i < positive.size(); ++i) {
    all[i] = sign * positive[positive.size() - 1 - i];
    all[positive.size() + i] = positive[i];
  }
  return all;
}

}  // namespace

AttentionMoments max_normalised_moments(const Problem& problem, Kernel kernel,
                                        const KeyAlignment& alignment) {
  const double nu = problem.snr;
  const double scale = alignment.scale;
  const bool relu = kernel == Kernel::kRelu;
  const double steepness = relu ? 1.0 : std::max(scale + alignment.noise, 1e-8);
  TokenRule rule =
      token_rule(kernel, relu ? 1.0 : scale, -kReach, kReach, token_step(std::max(steepness, nu)));
  constexpr double kNothing = -1e9;  // log psi where relu has no weight
  if (relu) {
    const Vector logs = rule.log_values;
    rule.weights = mirrored(rule.weights, 1);
    rule.points = mirrored(rule.points, -1);
    rule.log_values.setConstant(rule.points.size(), kNothing);
    rule.log_values.tail(logs.size()) = logs;
  }
  const Index count = rule.points.size();
  Vector density(count), teacher_logs(count);
  for (Index i = 0; i < count; ++i) {
    density[i] = rule.weights[i] * normal_density(rule.points[i]);
    teacher_logs[i] = nu * rule.points[i];
  }

  // The posterior's own sum, at times t*. Given one time, the other's integrand is as wide in log t
  // as one token's step is there, and no wider: the teacher's rule takes the short steps.
  const TimeRule teacher_times = time_rule(Kernel::kSoftmax, nu * std::min(1.0, 1 / steepness),
                                           teacher_logs.minCoeff(), teacher_logs.maxCoeff());

  // The kernel's sum, at times t.
  NoisyScores noisy;
  const bool spread_out = alignment.noise > 0;
  if (spread_out) noisy = noisy_scores(kernel, rule.points, scale, alignment.noise);
  const Vector& logs = spread_out ? noisy.log_values : rule.log_values;
  const double highest = logs.maxCoeff();
  double lowest = highest;
  for (const double value : logs)
    if (value != kNothing) lowest = std::min(lowest, value);
  const TimeRule student_times = time_rule(kernel, steepness, lowest, highest);

  const LengthPolynomial pairs(problem.lengths, TokenCount::kPairs);
  const Misses misses =
      spread_out
          ? spread_misses({teacher_logs, teacher_times}, {logs, student_times}, noisy.spread,
                          density, pairs)
          : aligned_misses({teacher_logs, teacher_times}, {logs, student_times}, density, pairs);
  const double dark = relu ? dark_probability(problem.lengths) : 0.0;
  return moments_from_misses(misses.miss + dark, misses.overlap, dark);
}

AttentionMoments argmax_normalised_moments(const Problem& problem, Kernel kernel,
                                           const KeyAlignment& alignment) {
  const bool relu = kernel == Kernel::kRelu;
  const double scale = alignment.scale;
  const double steepness = relu ? 1.0 : std::max(scale + alignment.noise, 1e-8);
  const double fine = std::min(0.05, 0.16 / steepness);
  const TokenRule rule = token_rule(kernel, relu ? 1.0 : scale, -kReach, kReach, fine);
  const Index count = rule.points.size();

  NoisyScores noisy;
  const bool spread_out = alignment.noise > 0;
  if (spread_out) noisy = noisy_scores(kernel, rule.points, scale, alignment.noise);
  const Vector& logs = spread_out ? noisy.log_values : rule.log_values;
  Vector mass(count);
  for (Index i = 0; i < count; ++i)
    mass[i] = rule.weights[i] * normal_density(rule.points[i]);

  const LengthPolynomial pairs(problem.lengths, TokenCount::kPairs);
  const TimeRule times = time_rule(kernel, steepness, logs.minCoeff(), logs.maxCoeff());
  const double below = rule.has_empty ? 0.5 : 0.0;
  double miss = 0;
  double overlap = 0;
  Vector kept(count), bumped(count), running(count), running_bump(count);
  Vector stay(logs.size()), bump(logs.size());
  for (Index j = 0; j < times.points.size(); ++j) {
    for (Index i = 0; i < logs.size(); ++i) {
      const double exponent = times.points[j] + logs[i];
      stay[i] = bump[i] = 0;
      if (exponent > kAllDecayed) continue;
      const double rate = exponent < kNoDecay ? 0.0 : portable::exp(exponent);
      stay[i] = rate < 1e-17 ? 1.0 : portable::exp(-rate);
      bump[i] = stay[i] * rate;
    }
    if (spread_out) {
      kept.noalias() = noisy.spread * stay;
      bumped.noalias() = noisy.spread * bump;
    } else {
      kept = stay;
      bumped = bump;
    }
    kept.array() *= mass.array();
    bumped.array() *= mass.array();
    if (!(bumped.maxCoeff() > 1e-60)) continue;
    // Integrals up to each node, by the six-point rule on each interval (order h^6).
    const auto accumulate = [count](const Vector& f, double start, Vector& sum) {
      sum[0] = start;
      for (Index i = 0; i + 1 < count; ++i) {
        double piece = 0.5 * (f[i] + f[i + 1]);
        if (i >= 2 && i + 3 < count)
          piece =
              (802 * (f[i] + f[i + 1]) - 93 * (f[i - 1] + f[i + 2]) + 11 * (f[i - 2] + f[i + 3])) /
              1440;
        sum[i + 1] = sum[i] + piece;
      }
    };
    accumulate(kept, below, running);
    accumulate(bumped, 0, running_bump);
    const double all_kept = running[count - 1];
    const double all_bump = running_bump[count - 1];
    overlap += times.weights[j] * all_bump * all_bump * pairs(all_kept);
    // The needle is the largest chi*, another token holds the weight.
    double missed = 0;
    for (Index i = 0; i < count; ++i)
      if (kept[i] * running_bump[i] > 1e-40)
        missed += kept[i] * running_bump[i] * pairs(running[i]);
    miss += times.weights[j] * missed;
  }
  const double dark = relu ? dark_probability(problem.lengths) : 0.0;
  return moments_from_misses(miss + dark, overlap, dark);
}

AttentionMoments argmax_softplus_limit(const Problem& problem) {
  const AttentionMoments relu = argmax_normalised_moments(problem, Kernel::kRelu, {1, 0, 0});
  const double dark = dark_probability(problem.lengths);
  const double miss = 1 - relu.needle - dark;
  return moments_from_misses(miss, 1 - relu.square - dark, 0);
}

}  // namespace attnlab::needle

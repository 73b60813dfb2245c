#include "needle/population_risk.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "core/portable.h"
#include "core/require.h"
#include "needle/length_polynomial.h"
#include "needle/scalar_search.h"

namespace attnlab::needle {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kPi = 3.141592653589793;
// Where a search over the scale stops if nothing else is said: softplus is relu there.
constexpr double kLargestScale = 20;

double mean_inverse_length(const Lengths& lengths) {
  double sum = 0;
  for (Index l = lengths.minimum; l <= lengths.maximum; ++l)
    sum += lengths.probability() / static_cast<double>(l);
  return sum;
}

// A prompt of one token has nothing to search.
bool trivial(const Problem& problem) { return problem.lengths.maximum == 1; }

OptimalRisk at(const MomentEvaluator& evaluator, const KeyAlignment& alignment) {
  const AttentionMoments moments = evaluator.at(alignment);
  return {moments.best_risk(), 0, alignment.scale, alignment.bias, moments.best_output()};
}

// Search in log scale: the risk is smooth and has one valley there.
OptimalRisk best_scale(const MomentEvaluator& evaluator, double smallest, double largest,
                       int points, double width) {
  const auto risk = [&](double log_scale) {
    return evaluator.at({portable::exp(log_scale), 0, 0}).best_risk();
  };
  const ScalarMinimum best =
      minimise_scalar(risk, portable::log(smallest), portable::log(largest), points, width);
  return at(evaluator, {portable::exp(best.argument), 0, 0});
}

OptimalRisk best_scale_and_bias(const MomentEvaluator& evaluator, double largest) {
  const auto best_bias = [&](double scale) {
    // The threshold sits between the tokens' laws, so the bias grows with the scale.
    return minimise_scalar(
        [&](double bias) { return evaluator.at({scale, 0, bias}).best_risk(); }, -2 - 4 * scale, 2,
        9, 1e-5);
  };
  const auto risk = [&](double log_scale) { return best_bias(portable::exp(log_scale)).value; };
  const ScalarMinimum best =
      minimise_scalar(risk, portable::log(0.02), portable::log(std::min(largest, 8.0)), 9, 1e-5);
  const double scale = portable::exp(best.argument);
  return at(evaluator, {scale, 0, best_bias(scale).argument});
}

}  // namespace

RiskEstimate bayes_risk(const Problem& problem) {
  validate(problem);
  if (trivial(problem) || std::isinf(problem.snr)) return {0, 0};
  if (problem.snr == 0) return {1 - mean_inverse_length(problem.lengths), 0};
  Problem pair = problem;
  // For max, E sum_{l != l'} p_l p_l' is that of the same scores without any needle: spiked with
  // nu = 0 and the posterior's scale.
  if (problem.model == Model::kMax) {
    pair.model = Model::kSpiked;
    pair.snr = 0;
  }
  const MomentEvaluator evaluator(pair, Kernel::kSoftmax);
  const AttentionMoments moments = evaluator.at({posterior_scale(problem), 0, 0});
  // Nishimori: A = B, so gap = A - A^2 and gap/B keeps the digits that 1 - A loses.
  if (problem.model == Model::kSpiked) return {moments.best_risk(), 0};
  return {1 - moments.square, 0};
}

OptimalRisk linear_optimum(const Problem& problem) {
  validate(problem);
  const double length = problem.lengths.mean();
  if (trivial(problem)) return {0, 0, 0, 0, 1};
  if (problem.model == Model::kSpiked) {
    const double nu = problem.snr;
    // E/(1 - E) = P Q/(P + Q), P = L - 1, Q = L/nu.
    const double risk = length * (length - 1) / (length * length + (length - 1) * nu);
    const double scale = std::sqrt(nu) * (length - 1) / length;
    return {risk, 0, scale, 0, (1 - risk) / (1 + scale * std::sqrt(nu))};
  }
  const double mu = MomentEvaluator(problem, Kernel::kLinear).needle_mean();
  const double risk = 1 - (1 + mu * mu) / length;
  return {risk, 0, mu, 0, 1 / length};
}

OptimalRisk centred_linear_optimum(const Problem& problem) {
  validate(problem);
  if (trivial(problem)) return {0, 0, 0, 0, 1};
  // max over a = E chi_needle of (1 + a h)^2/(P + Q a^2) = 1/P + h^2/Q, at a = h P/Q.
  const double mean = MomentEvaluator(problem, Kernel::kLinear).needle_mean();
  const double length = problem.lengths.mean();
  const bool spiked = problem.model == Model::kSpiked;
  const double h = spiked ? 1 - mean_inverse_length(problem.lengths) : 1.0;
  OptimalRisk best;
  if (!(mean > 0)) {
    best.risk = 1 - 1 / length;
    best.output = 1 / length;
    return best;
  }
  const double q = (spiked ? h : 0.0) + (length - 1) / (mean * mean);
  best.risk = 1 - (1 / length + h * h / q);
  best.scale = h * length / q / mean;
  best.output = 1 / length;  // A/B = (1 + h a)/(P + Q a^2) = 1/P at a = h P/Q
  return best;
}

double best_elementwise_risk(Index length) {
  require_range(static_cast<double>(length), 1, 1000, "length");
  const auto n = static_cast<double>(length);
  return (n - 1) / (2 * n - 1);
}

double softmax_rate(Index length, double snr) {
  return (static_cast<double>(length) - 1) * std::sqrt(kPi / (4 * snr)) * portable::exp(-snr / 4);
}

double linear_rate(Index length, double snr) { return static_cast<double>(length) / snr; }

OptimalRisk optimal_risk(const Problem& problem, Kernel kernel) {
  return optimal_risk(problem, kernel, kInfinity);
}

OptimalRisk optimal_risk(const Problem& problem, Kernel kernel, double largest_scale) {
  validate(problem);
  if (!(largest_scale > 0)) fail(ErrorCode::kOutOfRange, "scale", "a positive limit is expected");
  if (kernel == Kernel::kLinear) return linear_optimum(problem);
  if (kernel == Kernel::kCentredLinear) return centred_linear_optimum(problem);
  const MomentEvaluator evaluator(problem, kernel);
  if (kernel == Kernel::kRelu) return at(evaluator, {1, 0, 0});
  if (kernel == Kernel::kSoftmax) {
    if (std::isinf(problem.snr) && std::isinf(largest_scale)) return {0, 0, kInfinity, 0, 1};
    // The risk falls without end as the scale grows.
    if (std::isinf(problem.snr)) return at(evaluator, {std::min(largest_scale, 1000.0), 0, 0});
    const double guess = posterior_scale(problem) + 0.1;
    return best_scale(evaluator, std::min(0.02, largest_scale / 2),
                      std::min(largest_scale, std::max(4.0, 3 * guess)), 9, 1e-4);
  }
  const double largest = std::min(largest_scale, kLargestScale);
  if (kernel == Kernel::kErf || kernel == Kernel::kErfToken)
    return best_scale_and_bias(evaluator, largest);
  const OptimalRisk inner = best_scale(evaluator, std::min(0.25, largest / 2), largest, 7, 1e-3);
  if (!std::isinf(problem.snr) || !std::isinf(largest_scale)) return inner;
  // For nu = Infinity the risk keeps falling slowly; its limit is known.
  const OptimalRisk limit = at(evaluator, {kInfinity, 0, 0});
  return limit.risk < inner.risk ? limit : inner;
}

}  // namespace attnlab::needle

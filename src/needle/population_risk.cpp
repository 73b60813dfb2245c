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
// Where a search over the scale stops if nothing else is said: softplus is nearly relu there.
constexpr double kLargestScale = 20;
// Where it stops if the risk still falls there: softplus is relu to a relative 1e-6.
constexpr double kWidestScale = 1000;

// erf is linear below it to a relative 1e-8.
constexpr double kSmallErfScale = 1e-4;

double mean_inverse_length(const Lengths& lengths) {
  double sum = 0;
  for (Index l = lengths.minimum; l <= lengths.maximum; ++l)
    sum += lengths.probability() / static_cast<double>(l);
  return sum;
}

// A prompt of one token has nothing to search.
bool trivial(const Problem& problem) {
  return problem.lengths.maximum == 1;
}

OptimalRisk at(const MomentEvaluator& evaluator, const KeyAlignment& alignment) {
  const AttentionMoments moments = evaluator.at(alignment);
  return {moments.best_risk(), 0, alignment.scale, alignment.bias, moments.best_output()};
}

// The smallest scale looked at: well below that at which the needle is told from another token.
double smallest_scale(const Problem& problem) {
  if (std::isinf(problem.snr)) return 0.02;
  return std::clamp(posterior_scale(problem) / 8, 1e-4, 0.02);
}

// `apart`: the distance of the tokens' laws, in units of their spread.
OptimalRisk best_scale_and_bias(const MomentEvaluator& evaluator, double apart, double smallest,
                                double largest) {
  // The threshold sits between the tokens' laws, so the bias grows with the scale.
  const double reach = std::max(4.0, apart);
  const int points = static_cast<int>(std::ceil(9 * reach / 4));
  const auto best_bias = [&](double scale) {
    return minimise_scalar([&](double bias) { return evaluator.at({scale, 0, bias}).best_risk(); },
                           -2 - reach * scale, 2, points, 1e-5);
  };
  const auto risk = [&](double log_scale) { return best_bias(portable::exp(log_scale)).value; };
  const ScalarMinimum best = minimise_scalar(risk, portable::log(std::min(smallest, largest / 2)),
                                             portable::log(std::min(largest, 8.0)), 13, 1e-5);
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

double linear_rate(double mean_length, double snr) {
  return mean_length / snr;
}

OptimalRisk optimal_risk(const Problem& problem, Kernel kernel, double largest_scale) {
  OptimalRiskSearch search(problem, kernel, largest_scale);
  while (!search.step()) {
  }
  return search.result();
}

OptimalRiskSearch::OptimalRiskSearch(const Problem& problem, Kernel kernel, double largest_scale)
    : problem_(problem), kernel_(kernel), largest_scale_(largest_scale) {
  validate(problem);
  if (!(largest_scale > 0)) fail(ErrorCode::kOutOfRange, "scale", "a positive limit is expected");
}

bool OptimalRiskSearch::step() {
  if (done_) return true;
  if (search_) {
    // In log scale the risk is smooth and has one valley.
    search_->tell(evaluator_->at({portable::exp(search_->argument()), 0, 0}).best_risk());
    if (search_->running() || widen_search()) return false;
    finish_search();
    return done_ = true;
  }
  const bool argmax = std::isinf(problem_.snr);
  if (kernel_ == Kernel::kLinear) {
    result_ = linear_optimum(problem_);
    return done_ = true;
  }
  if (kernel_ == Kernel::kCentredLinear) {
    result_ = centred_linear_optimum(problem_);
    return done_ = true;
  }
  if (kernel_ == Kernel::kSoftmax && argmax && std::isinf(largest_scale_)) {
    result_ = {0, 0, kInfinity, 0, 1};
    return done_ = true;
  }
  evaluator_.emplace(problem_, kernel_);
  if (kernel_ == Kernel::kSoftmax && !argmax) {
    // Proposition 4.2: the posterior's scale is the best.
    if (posterior_scale(problem_) <= largest_scale_) {
      result_ = at(*evaluator_, {posterior_scale(problem_), 0, 0});
      return done_ = true;
    }
    search_.emplace(portable::log(std::min(smallest_scale(problem_), largest_scale_ / 2)),
                    portable::log(largest_scale_), 9, 1e-4);
    return false;
  }
  if (kernel_ == Kernel::kSoftplus) {
    const double largest = std::min(largest_scale_, kLargestScale);
    search_.emplace(portable::log(std::min(smallest_scale(problem_), largest / 2)),
                    portable::log(largest), 11, 1e-3);
    return false;
  }
  if (kernel_ == Kernel::kRelu)
    result_ = at(*evaluator_, {1, 0, 0});
  else if (kernel_ == Kernel::kSoftmax)  // the risk falls without end as the scale grows
    result_ = at(*evaluator_, {std::min(largest_scale_, 1000.0), 0, 0});
  else {
    const double apart = problem_.model == Model::kSpiked ? std::sqrt(problem_.snr) : 0.0;
    // Of strong needles a weak score is enough for erf to tell.
    result_ = best_scale_and_bias(*evaluator_, apart,
                                  0.02 / std::sqrt(std::max(1.0, argmax ? 1.0 : problem_.snr)),
                                  std::min(largest_scale_, kLargestScale));
    if (kernel_ == Kernel::kErfToken) compare_with_linear();
  }
  return done_ = true;
}

bool OptimalRiskSearch::widen_search() {
  const double widest = std::min(largest_scale_, kWidestScale);
  if (kernel_ != Kernel::kSoftplus || std::isinf(problem_.snr) || narrow_ ||
      !(widest > kLargestScale) || search_->best().argument < portable::log(0.9 * kLargestScale))
    return false;
  narrow_ = search_->best();
  search_.emplace(portable::log(kLargestScale), portable::log(widest), 6, 1e-3);
  return true;
}

// Where the scores are small, erf is linear: its risk falls to that of linear attention as the
// scale goes to 0.
void OptimalRiskSearch::compare_with_linear() {
  const double mean = linear_optimum(problem_).scale;  // of the score, where its bias is 1
  if (!(mean > 0)) return;
  const double scale = std::min(kSmallErfScale, kSmallErfScale * mean);
  const OptimalRisk linear = at(*evaluator_, {scale, 0, scale / mean});
  if (linear.risk < result_.risk) result_ = linear;
}

void OptimalRiskSearch::finish_search() {
  const bool wider = !narrow_ || search_->best().value < narrow_->value;
  const ScalarMinimum best = wider ? search_->best() : *narrow_;
  result_ = at(*evaluator_, {portable::exp(best.argument), 0, 0});
  // Where no score helps, none is best: each token the same weight.
  const OptimalRisk even = at(*evaluator_, {0, 0, 0});
  if (even.risk <= result_.risk) result_ = even;
  if (kernel_ != Kernel::kSoftplus || !std::isinf(problem_.snr) || !std::isinf(largest_scale_))
    return;
  // For nu = Infinity the risk keeps falling slowly; its limit is known.
  const OptimalRisk limit = at(*evaluator_, {kInfinity, 0, 0});
  if (limit.risk < result_.risk) result_ = limit;
}

}  // namespace attnlab::needle

#include "needle/proximal.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/portable.h"
#include "core/require.h"
#include "needle/proximal_curvature.h"
#include "needle/small_symmetric.h"

namespace attnlab::needle {

namespace {

constexpr double kScan[] = {-6,  -4,  -2.5, -1.5, -0.7,
                            0.7, 1.5, 2.5,  4,    6};  // in units of sqrt(V_k)
constexpr int kNewtonSteps = 60;

// label - (1 - x)/g - g/4 (near/x^2 - far/(2 - x)^2), which rises and is not below 0 at x = 1.
struct EndEquation {
  double g, label, near, far;
};

// Its root in (0, 1], to all digits of its own. `residual`: label - s.z at x = 1.
double distance_from_end(const EndEquation& at, double residual) {
  double low = std::sqrt(at.g * at.near / (4 * at.label + at.g * at.far));
  double high = 1;
  if (!(low < high)) return high;
  double x = std::fmax(low, 1 - std::fmin(at.g * residual, 0.5));
  for (int i = 0; i < 200; ++i) {
    const double y = 2 - x;
    const double value =
        at.label - (1 - x) / at.g - at.g / 4 * (at.near / (x * x) - at.far / (y * y));
    const double slope = 1 / at.g + at.g / 2 * (at.near / (x * x * x) + at.far / (y * y * y));
    (value < 0 ? low : high) = x;
    double next = x - value / slope;
    if (!(next > low && next < high)) next = low > 0 ? std::sqrt(low * high) : high / 2;
    const double change = std::fabs(next - x);
    x = next;
    if (change <= 1e-15 * x) break;
  }
  return x;
}

}  // namespace

ProximalSolver::ProximalSolver(Kernel kernel, Index length, double key_variance,
                               double value_variance)
    : kernel_(kernel),
      length_(length),
      key_variance_(key_variance),
      value_variance_(value_variance) {
  if (kernel != Kernel::kSoftmax && kernel != Kernel::kLinear)
    fail(ErrorCode::kDomain, "kernel", "the state evolution knows softmax and linear");
  require_range(static_cast<double>(length), 1, static_cast<double>(kLargestEvolutionLength),
                "length");
  if (!(key_variance > 0 && value_variance > 0 && std::isfinite(key_variance + value_variance)))
    fail(ErrorCode::kDomain, "variance", "positive and finite variances are expected");
  const double unit = std::sqrt(key_variance);
  for (int i = 0; i < kScanCount; ++i) {
    // Beyond 30 a token's weight is 0 or 1 to all digits.
    scan_steps_[i] = std::clamp(kScan[i] * unit, -30.0, 30.0);
    scan_factors_[i] = portable::exp(scan_steps_[i]);
  }
}

double ProximalSolver::energy(const ProximalProblem& problem, const double* scores) const {
  double weights[kLargestEvolutionLength];
  attend(kernel_, 0, scores, length_, weights);
  double distance = 0, product = 0, square = 0;
  for (Index l = 0; l < length_; ++l) {
    const double step = scores[l] - problem.key_field[l];
    distance += step * step;
    product += weights[l] * problem.value_field[l];
    square += weights[l] * weights[l];
  }
  const double r = problem.label - product;
  return distance / (2 * key_variance_) + r * r / (2 * (1 + value_variance_ * square));
}

void ProximalSolver::finish(const ProximalProblem& problem, ProximalPoint& point) const {
  double product = 0, square = 0;
  for (Index l = 0; l < length_; ++l) {
    product += point.weights[l] * problem.value_field[l];
    square += point.weights[l] * point.weights[l];
  }
  point.residual = (problem.label - product) / (1 + value_variance_ * square);
  for (Index l = 0; l < length_; ++l)
    point.outputs[l] = problem.value_field[l] + value_variance_ * point.residual * point.weights[l];
}

void ProximalSolver::solve(const ProximalProblem& problem, ProximalPoint& point) const {
  if (kernel_ == Kernel::kLinear)
    solve_linear(problem, point);
  else
    solve_softmax(problem, point);
}

// With P = (1 + w_k)/sqrt(V_k), W = w_v/sqrt(V_v), g = sqrt(V_k V_v) and r = g rho, where
// rho = y - s.z is the residual, stationary points are s/sqrt(V_k) + z/sqrt(V_v) = (P + W)/(1 - r),
// s/sqrt(V_k) - z/sqrt(V_v) = (P - W)/(1 + r). The dual function of the constraint t = s.z is
// concave in r on (-1, 1) and has no gap (two quadratic forms), so the one root there of
//   y - r/g - g/4 (|P + W|^2/(1 - r)^2 - |P - W|^2/(1 + r)^2),
// which falls, is the global minimum. It is sought as its distance from the end on its own side. At
// an end whose vector is 0 there may be no root: then r is that end, and the vector's length is
// what the constraint leaves, in whatever direction (the hard case of trust regions).
void ProximalSolver::solve_linear(const ProximalProblem& problem, ProximalPoint& point) const {
  const double key_unit = std::sqrt(key_variance_), value_unit = std::sqrt(value_variance_);
  const double g = key_unit * value_unit;
  double plus[kLargestEvolutionLength], minus[kLargestEvolutionLength];
  double plus_square = 0, minus_square = 0;
  for (Index l = 0; l < length_; ++l) {
    const double p = (1 + problem.key_field[l]) / key_unit;
    const double w = problem.value_field[l] / value_unit;
    plus[l] = p + w;
    minus[l] = p - w;
    plus_square += plus[l] * plus[l];
    minus_square += minus[l] * minus[l];
  }
  const double at_zero = problem.label - g / 4 * (plus_square - minus_square);
  const bool positive = at_zero >= 0;
  const double label = positive ? problem.label : -problem.label;
  double* near = positive ? plus : minus;
  double* far = positive ? minus : plus;
  const double near_square = positive ? plus_square : minus_square;
  const double far_square = positive ? minus_square : plus_square;
  const auto length = static_cast<double>(length_);
  if (const double left = (label - 1 / g) * 4 / g + far_square / 4; near_square == 0 && left > 0) {
    for (Index l = 0; l < length_; ++l) {
      near[l] = std::sqrt(left / length);
      far[l] /= 2;
    }
  } else {
    const double delta = distance_from_end({g, label, near_square, far_square}, std::fabs(at_zero));
    for (Index l = 0; l < length_; ++l) {
      near[l] /= delta;
      far[l] /= 2 - delta;
    }
  }
  for (Index l = 0; l < length_; ++l) {
    point.weights[l] = key_unit * (plus[l] + minus[l]) / 2;
    point.scores[l] = point.weights[l] - 1;
  }
  finish(problem, point);
}

// The best of w_k and of moves along one token's score; the common part of the scores is free and
// stays that of w_k. Only one exponential changes in a move, so a trial costs a few operations.
void ProximalSolver::scan(const ProximalProblem& problem, double* scores) const {
  double largest = problem.key_field[0];
  for (Index l = 1; l < length_; ++l)
    largest = std::fmax(largest, problem.key_field[l]);
  double e[kLargestEvolutionLength];
  double sum = 0, product = 0, square = 0;
  for (Index l = 0; l < length_; ++l) {
    e[l] = portable::exp(problem.key_field[l] - largest);
    sum += e[l];
    product += e[l] * problem.value_field[l];
    square += e[l] * e[l];
  }
  const auto misfit = [&](double s, double p, double q) {
    const double r = problem.label - p / s;
    return r * r / (2 * (1 + value_variance_ * q / (s * s)));
  };
  double best = misfit(sum, product, square);
  Index token = -1;
  int move = 0;
  const double share = (1 - 1 / static_cast<double>(length_)) / (2 * key_variance_);
  for (Index l = 0; l < length_; ++l)
    for (int i = 0; i < kScanCount; ++i) {
      const double raised = e[l] * scan_factors_[i];
      const double trial =
          share * scan_steps_[i] * scan_steps_[i] +
          misfit(sum - e[l] + raised, product + (raised - e[l]) * problem.value_field[l],
                 square - e[l] * e[l] + raised * raised);
      if (trial < best) {
        best = trial;
        token = l;
        move = i;
      }
    }
  for (Index l = 0; l < length_; ++l)
    scores[l] = problem.key_field[l];
  if (token < 0) return;
  const double step = scan_steps_[move];
  for (Index l = 0; l < length_; ++l)
    scores[l] -= step / static_cast<double>(length_);
  scores[token] += step;
}

void ProximalSolver::solve_softmax(const ProximalProblem& problem, ProximalPoint& point) const {
  scan(problem, point.scores);
  attend(kernel_, 0, point.scores, length_, point.weights);
  finish(problem, point);
  const auto energy_at = [&](const ProximalPoint& at) {
    double distance = 0, square = 0;
    for (Index l = 0; l < length_; ++l) {
      const double step = at.scores[l] - problem.key_field[l];
      distance += step * step;
      square += at.weights[l] * at.weights[l];
    }
    return distance / (2 * key_variance_) +
           at.residual * at.residual * (1 + value_variance_ * square) / 2;
  };
  double value = energy_at(point);
  double damping = 0;
  const double unit = 1 / key_variance_;
  ProximalPoint trial;
  SoftmaxCurvature curvature;
  bool fresh = true;
  for (int step = 0; step < kNewtonSteps; ++step) {
    if (fresh) {
      softmax_curvature(length_, key_variance_, value_variance_, problem.key_field, point,
                        curvature);
      double size = 0;
      for (Index l = 0; l < length_; ++l)
        size = std::fmax(size, std::fabs(curvature.gradient[l]));
      if (size * key_variance_ < 1e-10) break;
      fresh = false;
    }
    double factor[kLargestEvolutionLength * kLargestEvolutionLength];
    double move[kLargestEvolutionLength];
    bool positive = false;
    while (!positive) {
      for (Index i = 0; i < length_; ++i) {
        for (Index j = 0; j <= i; ++j)
          factor[i * kLargestEvolutionLength + j] =
              curvature.hessian[i * kLargestEvolutionLength + j] + (i == j ? damping * unit : 0.0);
        move[i] = -curvature.gradient[i];
      }
      positive = factor_small<kLargestEvolutionLength>(factor, length_, 1e-3 * unit);
      if (!positive) damping = std::fmax(2 * damping, 0.25);
      if (damping > 1e9) return;
    }
    solve_small<kLargestEvolutionLength>(factor, length_, move);
    double furthest = 0;
    for (Index l = 0; l < length_; ++l) {
      trial.scores[l] = point.scores[l] + move[l];
      furthest = std::fmax(furthest, std::fabs(move[l]));
    }
    attend(kernel_, 0, trial.scores, length_, trial.weights);
    finish(problem, trial);
    const double lower = energy_at(trial);
    if (lower <= value + 1e-14 * (1 + std::fabs(value))) {
      point = trial;
      value = lower;
      damping = damping > 1e-6 ? 0.1 * damping : 0.0;
      fresh = true;
      if (furthest < 1e-11) break;
    } else {
      damping = std::fmax(4 * damping, 0.05);
      if (damping > 1e9) break;
    }
  }
}

}  // namespace attnlab::needle

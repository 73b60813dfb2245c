#include "needle/proximal.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/portable.h"
#include "core/require.h"
#include "needle/small_symmetric.h"

namespace attnlab::needle {

namespace {

constexpr Index kMax = kLargestEvolutionLength;
constexpr double kScan[] = {-6,  -4,  -2.5, -1.5, -0.7,
                            0.7, 1.5, 2.5,  4,    6};  // in units of sqrt(V_k)
constexpr int kNewtonSteps = 60;

}  // namespace

ProximalSolver::ProximalSolver(Kernel kernel, Index length, double key_variance,
                               double value_variance)
    : kernel_(kernel),
      length_(length),
      key_variance_(key_variance),
      value_variance_(value_variance) {
  if (kernel != Kernel::kSoftmax && kernel != Kernel::kLinear)
    fail(ErrorCode::kDomain, "kernel", "the state evolution knows softmax and linear");
  require_range(static_cast<double>(length), 1, static_cast<double>(kMax), "length");
  if (!(key_variance > 0 && value_variance > 0))
    fail(ErrorCode::kDomain, "variance", "positive variances are expected");
  const double unit = std::sqrt(key_variance);
  for (int i = 0; i < kScanCount; ++i) {
    // Beyond 30 a token's weight is 0 or 1 to all digits.
    scan_steps_[i] = std::clamp(kScan[i] * unit, -30.0, 30.0);
    scan_factors_[i] = portable::exp(scan_steps_[i]);
  }
}

double ProximalSolver::energy(const ProximalProblem& problem, const double* scores) const {
  double weights[kMax];
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

// With p = 1 + w_k: stationary points are s = (p + V_k rho w_v)/kappa, z = (w_v + V_v rho p)/kappa,
// kappa = 1 - V_k V_v rho^2, where rho = y - s.z is the residual. The dual function of the
// constraint t = s.z is concave in rho on kappa > 0 and has no gap (two quadratic forms), so its
// one root there is the global minimum: y - rho - s.z falls from +Infinity to -Infinity.
void ProximalSolver::solve_linear(const ProximalProblem& problem, ProximalPoint& point) const {
  double pw = 0, pp = 0, ww = 0;
  for (Index l = 0; l < length_; ++l) {
    const double p = 1 + problem.key_field[l];
    const double w = problem.value_field[l];
    pw += p * w;
    pp += p * p;
    ww += w * w;
  }
  const double product = key_variance_ * value_variance_;
  const double growth = key_variance_ * ww + value_variance_ * pp;
  double high = 1 / std::sqrt(product);
  double low = -high;
  double rho = std::clamp(problem.label - pw, 0.5 * low, 0.5 * high);
  for (int i = 0; i < 200; ++i) {
    const double kappa = 1 - product * rho * rho;
    const double top = (1 + product * rho * rho) * pw + rho * growth;
    const double value = problem.label - rho - top / (kappa * kappa);
    (value > 0 ? low : high) = rho;
    const double slope = -1 - (2 * product * rho * pw + growth) / (kappa * kappa) -
                         4 * product * rho * top / (kappa * kappa * kappa);
    double next = rho - value / slope;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    const double change = std::fabs(next - rho);
    rho = next;
    if (change <= 1e-14 * (1 + std::fabs(rho))) break;
  }
  const double inverse = 1 / (1 - product * rho * rho);
  for (Index l = 0; l < length_; ++l) {
    const double p = 1 + problem.key_field[l];
    point.weights[l] = (p + key_variance_ * rho * problem.value_field[l]) * inverse;
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
  double e[kMax];
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

namespace {

// Gradient and Hessian of phi under softmax, from s and z at the scores.
//   d phi/ds = -a z;  its Hessian p p^T/d - V_v a^2 I with p = z + V_v a s;  J = diag(s) - s s^T.
struct SoftmaxCurvature {
  double hessian[kMax * kMax];
  double gradient[kMax];
};

void softmax_curvature(Index length, double key_variance, double value_variance,
                       const double* key_field, const ProximalPoint& point, SoftmaxCurvature& out) {
  const double* s = point.weights;
  const double* z = point.outputs;
  const double a = point.residual;
  double mean_z = 0, mean_p = 0, square = 0;
  double p[kMax];
  for (Index l = 0; l < length; ++l) {
    p[l] = z[l] + value_variance * a * s[l];
    mean_z += s[l] * z[l];
    mean_p += s[l] * p[l];
    square += s[l] * s[l];
  }
  const double d = 1 + value_variance * square;
  const double bend = value_variance * a * a;
  for (Index i = 0; i < length; ++i) {
    out.gradient[i] = (point.scores[i] - key_field[i]) / key_variance - a * s[i] * (z[i] - mean_z);
    const double jp_i = s[i] * (p[i] - mean_p);
    for (Index j = 0; j <= i; ++j) {
      const double jp_j = s[j] * (p[j] - mean_p);
      // J J = diag(s^2) - s^2 s^T - s (s^2)^T + |s|^2 s s^T.
      double jj = -s[i] * s[j] * (s[i] + s[j] - square);
      double k = -s[i] * s[j] * (z[i] + z[j] - 2 * mean_z);
      if (i == j) {
        jj += s[i] * s[i];
        k += s[i] * (z[i] - mean_z);
      }
      const double value = jp_i * jp_j / d - bend * jj - a * k + (i == j ? 1 / key_variance : 0.0);
      out.hessian[i * kMax + j] = value;
      out.hessian[j * kMax + i] = value;
    }
  }
}

}  // namespace

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
    double factor[kMax * kMax];
    double move[kMax];
    bool positive = false;
    while (!positive) {
      for (Index i = 0; i < length_; ++i) {
        for (Index j = 0; j <= i; ++j)
          factor[i * kMax + j] = curvature.hessian[i * kMax + j] + (i == j ? damping * unit : 0.0);
        move[i] = -curvature.gradient[i];
      }
      positive = factor_small<kMax>(factor, length_, 1e-3 * unit);
      if (!positive) damping = std::fmax(2 * damping, 0.25);
      if (damping > 1e9) return;
    }
    solve_small<kMax>(factor, length_, move);
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

bool ProximalSolver::respond(const ProximalProblem& problem, const ProximalPoint& point,
                             ProximalResponse& response) const {
  const double* s = point.weights;
  const double* z = point.outputs;
  const double a = point.residual;
  double square = 0, mean_z = 0;
  for (Index l = 0; l < length_; ++l) {
    square += s[l] * s[l];
    mean_z += s[l] * z[l];
  }
  const double d = 1 + value_variance_ * square;
  const bool softmax = kernel_ == Kernel::kSoftmax;

  // Schur complement of the full Hessian on c: the Hessian of phi.
  SoftmaxCurvature curvature;
  if (softmax) {
    softmax_curvature(length_, key_variance_, value_variance_, problem.key_field, point, curvature);
  } else {
    for (Index i = 0; i < length_; ++i)
      for (Index j = 0; j < length_; ++j)
        curvature.hessian[i * kMax + j] =
            (z[i] + value_variance_ * a * s[i]) * (z[j] + value_variance_ * a * s[j]) / d +
            (i == j ? 1 / key_variance_ - value_variance_ * a * a : 0.0);
  }
  if (!factor_small<kMax>(curvature.hessian, length_, 0)) return false;

  // Blocks of the inverse: S^-1; -S^-1 C Z^-1; Z^-1 + Z^-1 C^T S^-1 C Z^-1, with Z^-1 = V_v (I -
  // V_v s s^T/d) and C = d^2/(dc dz) = u s^T - a J, u = J z.
  double cross[kMax][kMax];  // column j of C Z^-1
  for (Index j = 0; j < length_; ++j) {
    // Z^-1 e_j = V_v (e_j - V_v s_j s/d); C applied to it.
    const double on_s =
        value_variance_ * (1 - value_variance_ * square / d) * s[j];  // s.(Z^-1 e_j)
    for (Index i = 0; i < length_; ++i) {
      const double u = softmax ? s[i] * (z[i] - mean_z) : z[i];
      const double unit_i =
          value_variance_ * ((i == j ? 1.0 : 0.0) - value_variance_ * s[j] * s[i] / d);
      const double j_part = softmax ? s[i] * (unit_i - on_s) : unit_i;
      cross[j][i] = u * on_s - a * j_part;
    }
  }
  double inverse[kMax][kMax], moved[kMax][kMax];
  for (Index j = 0; j < length_; ++j) {
    for (Index i = 0; i < length_; ++i) {
      inverse[j][i] = i == j ? 1.0 : 0.0;
      moved[j][i] = cross[j][i];
    }
    solve_small<kMax>(curvature.hessian, length_, inverse[j]);
    solve_small<kMax>(curvature.hessian, length_, moved[j]);
  }
  // The inverse's block from c to z_0: -(S^-1 C Z^-1)^T, its first row.
  const double* moved_first = moved[0];
  response = {};
  for (Index j = 0; j < length_; ++j)
    for (Index i = 0; i < length_; ++i) {
      const double unit = i == j ? 1.0 : 0.0;
      double vv = value_variance_ * (unit - value_variance_ * s[j] * s[i] / d);
      for (Index l = 0; l < length_; ++l)
        vv += cross[i][l] * moved[j][l];
      const double kk = (inverse[j][i] / key_variance_ - unit) / key_variance_;
      const double kv = -moved[j][i] / (key_variance_ * value_variance_);
      const double vv_slope = (vv / value_variance_ - unit) / value_variance_;
      if (i == j) {
        response.key_trace += kk;
        response.value_trace += vv_slope;
      }
      // d(c, z)/dy = inverse Hessian times (u, s); its entry for z_0.
      if (i == 0) {
        const double u = softmax ? s[j] * (z[j] - mean_z) : z[j];
        response.label_slope += (vv * s[j] - moved_first[j] * u) / value_variance_;
      }
      response.key_key += kk * kk;
      response.key_value += kv * kv;
      response.value_value += vv_slope * vv_slope;
    }
  return true;
}

}  // namespace attnlab::needle

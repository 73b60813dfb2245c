// How the proximal point moves with its fields.
#include "needle/proximal.h"
#include "needle/proximal_curvature.h"
#include "needle/small_symmetric.h"

namespace attnlab::needle {

namespace {}

void softmax_curvature(Index length, double key_variance, double value_variance,
                       const double* key_field, const ProximalPoint& point, SoftmaxCurvature& out) {
  const double* s = point.weights;
  const double* z = point.outputs;
  const double a = point.residual;
  double mean_z = 0, mean_p = 0, square = 0;
  double p[kLargestEvolutionLength];
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
      out.hessian[i * kLargestEvolutionLength + j] = value;
      out.hessian[j * kLargestEvolutionLength + i] = value;
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
        curvature.hessian[i * kLargestEvolutionLength + j] =
            (z[i] + value_variance_ * a * s[i]) * (z[j] + value_variance_ * a * s[j]) / d +
            (i == j ? 1 / key_variance_ - value_variance_ * a * a : 0.0);
  }
  if (!factor_small<kLargestEvolutionLength>(curvature.hessian, length_, 0)) return false;

  // Blocks of the inverse: S^-1; -S^-1 C Z^-1; Z^-1 + Z^-1 C^T S^-1 C Z^-1, with Z^-1 = V_v (I -
  // V_v s s^T/d) and C = d^2/(dc dz) = u s^T - a J, u = J z.
  double cross[kLargestEvolutionLength][kLargestEvolutionLength];  // column j of C Z^-1
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
  double inverse[kLargestEvolutionLength][kLargestEvolutionLength],
      moved[kLargestEvolutionLength][kLargestEvolutionLength];
  for (Index j = 0; j < length_; ++j) {
    for (Index i = 0; i < length_; ++i) {
      inverse[j][i] = i == j ? 1.0 : 0.0;
      moved[j][i] = cross[j][i];
    }
    solve_small<kLargestEvolutionLength>(curvature.hessian, length_, inverse[j]);
    solve_small<kLargestEvolutionLength>(curvature.hessian, length_, moved[j]);
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

#include "regression/multi_task.h"

#include <limits>

#include "core/portable.h"
#include "core/require.h"
#include "regression/integrate.h"

namespace attnlab::regression {
namespace {

constexpr double kE = 2.71828182845904523536;

void require_setting(const TaskSetting& setting) {
  if (setting.dimensions.size() < 1) fail(ErrorCode::kShape, "dimensions", "is empty");
  for (Index i = 0; i < setting.dimensions.size(); ++i)
    require_range(setting.dimensions(i), 1, 1e6, "dimensions");
  require_range(setting.length, 1, 1e12, "length");
  require_range(setting.label_variance, 0, 1e9, "labelVariance");
}

void require_heads(const TaskSetting& setting, const TaskHeads& heads) {
  require_setting(setting);
  const Index tasks = setting.dimensions.size();
  if (heads.omega.rows() < 1) fail(ErrorCode::kShape, "omega", "is empty");
  require_shape(heads.omega.rows(), heads.omega.cols(), -1, tasks, "omega");
  require_shape(heads.mu.rows(), heads.mu.cols(), heads.omega.rows(), tasks, "mu");
  require_finite(heads.omega, "omega");
  require_finite(heads.mu, "mu");
}

TaskGradient evaluate(const TaskSetting& setting, const TaskHeads& heads) {
  const Index H = heads.omega.rows();
  const Index I = setting.dimensions.size();
  const Vector& d = setting.dimensions;
  // E_hk = exp(sum_j d_j om_j^h om_j^k).
  Matrix E(H, H);
  for (Index h = 0; h < H; ++h)
    for (Index k = 0; k <= h; ++k) {
      double exponent = 0;
      for (Index j = 0; j < I; ++j)
        exponent += d(j) * heads.omega(h, j) * heads.omega(k, j);
      E(h, k) = E(k, h) = portable::exp(exponent);
    }
  TaskGradient result{0, Vector(I), Matrix(H, I), Matrix(H, I)};
  Matrix W = Matrix::Zero(H, H);
  for (Index i = 0; i < I; ++i) {
    const Vector mu = heads.mu.col(i);
    const Vector omega = heads.omega.col(i);
    const double gap = 1 - mu.dot(omega);
    const double noise = (d(i) + setting.label_variance) / setting.length;
    const Vector E_mu = E * mu;
    result.task_losses(i) = d(i) * gap * gap + noise * mu.dot(E_mu);
    result.mu.col(i) = -2 * d(i) * gap * omega + 2 * noise * E_mu;
    result.omega.col(i) = -2 * d(i) * gap * mu;
    W += noise * (mu * mu.transpose()).cwiseProduct(E);
  }
  for (Index i = 0; i < I; ++i)
    result.omega.col(i) += 2 * d(i) * (W * heads.omega.col(i));
  result.loss = result.task_losses.sum();
  return result;
}

Vector flatten(const Matrix& omega, const Matrix& mu) {
  Vector state(omega.size() + mu.size());
  state << Eigen::Map<const Vector>(omega.data(), omega.size()),
      Eigen::Map<const Vector>(mu.data(), mu.size());
  return state;
}

TaskHeads unflatten(const Vector& state, Index heads, Index tasks) {
  const Index size = heads * tasks;
  return {Eigen::Map<const Matrix>(state.data(), heads, tasks),
          Eigen::Map<const Matrix>(state.data() + size, heads, tasks)};
}

void require_task(const TaskSetting& setting, Index task) {
  require_setting(setting);
  if (task < 0 || task >= setting.dimensions.size())
    fail(ErrorCode::kOutOfRange, "task", "no such task");
}

// d x / (1 + x).
double plateau(double d, double x) {
  return d * x / (1 + x);
}

}  // namespace

TaskGradient task_loss(const TaskSetting& setting, const TaskHeads& heads) {
  require_heads(setting, heads);
  return evaluate(setting, heads);
}

double first_order_task_loss(const TaskSetting& setting, const TaskHeads& heads) {
  require_heads(setting, heads);
  const Index H = heads.omega.rows();
  const Index I = setting.dimensions.size();
  double loss = 0;
  for (Index i = 0; i < I; ++i) {
    const double d = setting.dimensions(i);
    const double p = heads.mu.col(i).dot(heads.omega.col(i));
    double noise = 0;
    double bias = 0;
    for (Index h = 0; h < H; ++h)
      for (Index k = 0; k < H; ++k) {
        if (heads.mu(h, i) == 0 || heads.mu(k, i) == 0) continue;
        double log_factor = 0;
        for (Index j = 0; j < I; ++j) {
          const double c = heads.omega(h, j) * heads.omega(k, j);
          if (!(c < 0.5)) return std::numeric_limits<double>::infinity();
          log_factor -= setting.dimensions(j) / 2 * portable::log1p(-2 * c);
        }
        const double factor = portable::exp(log_factor);
        const double c = heads.omega(h, i) * heads.omega(k, i);
        noise += heads.mu(h, i) * heads.mu(k, i) * factor *
                 (d + setting.label_variance + d * c / (1 - 2 * c));
        if (h == k) bias += heads.mu(h, i) * heads.omega(h, i) * factor / (1 - 2 * c);
      }
    loss += d * (1 - p) * (1 - p) + (2 * d * (1 - p) * bias + noise) / setting.length;
  }
  return loss;
}

std::vector<TaskHeads> task_flow(const TaskSetting& setting, const TaskHeads& start,
                                 const std::vector<double>& times, double tolerance) {
  require_heads(setting, start);
  const Index H = start.omega.rows();
  const Index I = setting.dimensions.size();
  const auto field = [&](const Vector& state) {
    const TaskGradient slope = evaluate(setting, unflatten(state, H, I));
    return Vector(-flatten(slope.omega, slope.mu));
  };
  std::vector<TaskHeads> states;
  for (const Vector& state : integrate(field, flatten(start.omega, start.mu), times, tolerance))
    states.push_back(unflatten(state, H, I));
  return states;
}

double dedicated_risk(const TaskSetting& setting, Index task) {
  require_task(setting, task);
  const double d = setting.dimensions(task);
  return plateau(d, kE * (d + setting.label_variance) / setting.length);
}

double shared_risk(const TaskSetting& setting, Index task) {
  require_task(setting, task);
  const double d = setting.dimensions(task);
  const double all = setting.dimensions.sum();
  return plateau(d, kE * all * (1 + setting.label_variance / d) / setting.length);
}

}  // namespace attnlab::regression

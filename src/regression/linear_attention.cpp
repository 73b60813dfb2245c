#include "regression/linear_attention.h"

#include <Eigen/Cholesky>

#include "core/require.h"

namespace attnlab::regression {
namespace {

void require_setting(const LinearSetting& setting) {
  const Index d = setting.covariance.rows();
  require_shape(d, setting.covariance.cols(), d, d, "covariance");
  if (d < 1) fail(ErrorCode::kShape, "covariance", "is empty");
  require_finite(setting.covariance, "covariance");
  require_range(setting.length, 1, 1e12, "length");
  require_range(setting.task_variance, 1e-12, 1e12, "taskVariance");
  require_range(setting.label_variance, 0, 1e12, "labelVariance");
}

}  // namespace

double linear_risk(const LinearSetting& setting, const MatrixRef& P) {
  require_setting(setting);
  const Matrix& S = setting.covariance;
  require_shape(P.rows(), P.cols(), S.rows(), S.rows(), "P");
  require_finite(P, "P");
  const double L = setting.length;
  const Matrix SPS = S * P * S;
  // tr(P^T S P S) = tr(P^T (S P S)), a sum of entrywise products.
  const double quadratic = SPS.cwiseProduct(P).sum();
  const double cubic = (SPS * P.transpose() * S).trace();
  const double task = S.trace() - 2 * SPS.trace() + (1 + 1 / L) * cubic + quadratic * S.trace() / L;
  return setting.label_variance + setting.task_variance * task +
         setting.label_variance / L * quadratic;
}

Matrix linear_optimum(const LinearSetting& setting) {
  require_setting(setting);
  const Index d = setting.covariance.rows();
  const double L = setting.length;
  Eigen::MatrixXd system = (1 + 1 / L) * setting.covariance;
  system.diagonal().array() +=
      (setting.covariance.trace() + setting.label_variance / setting.task_variance) / L;
  const Eigen::LLT<Eigen::MatrixXd> cholesky(system);
  if (cholesky.info() != Eigen::Success)
    fail(ErrorCode::kOutOfRange, "covariance", "is not positive definite");
  return cholesky.solve(Eigen::MatrixXd::Identity(d, d));
}

}  // namespace attnlab::regression

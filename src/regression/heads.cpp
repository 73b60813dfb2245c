#include "regression/heads.h"

#include <Eigen/Cholesky>
#include <cmath>
#include <limits>

#include "core/portable.h"
#include "core/require.h"

namespace attnlab::regression {
namespace {

constexpr double kE = 2.71828182845904523536;

void require_setting(const HeadsSetting& setting) {
  require_range(setting.dimension, 1, 1e6, "dimension");
  require_range(setting.length, 1, 1e12, "length");
  require_range(setting.label_variance, 0, 1e9, "labelVariance");
}

void require_heads(const HeadsSetting& setting, const VectorRef& omega, const VectorRef& mu) {
  require_setting(setting);
  require_finite_vector(omega, "omega");
  require_shape(mu.size(), 1, omega.size(), 1, "mu");
  require_finite_vector(mu, "mu");
}

// (1 + s2) / L exp(d om om^T).
Matrix noise_matrix(const HeadsSetting& setting, const VectorRef& omega) {
  const Index heads = omega.size();
  Matrix noise(heads, heads);
  for (Index h = 0; h < heads; ++h)
    for (Index k = 0; k < heads; ++k)
      noise(h, k) = (1 + setting.label_variance) / setting.length *
                    portable::exp(setting.dimension * omega(h) * omega(k));
  return noise;
}

double sinh(double x) {
  return (portable::expm1(x) - portable::expm1(-x)) / 2;
}

}  // namespace

HeadsGradient approximate_heads(const HeadsSetting& setting, const VectorRef& omega,
                                const VectorRef& mu) {
  require_heads(setting, omega, mu);
  const Matrix noise = noise_matrix(setting, omega);
  const double p = mu.dot(omega);
  const Vector noise_mu = noise * mu;
  HeadsGradient result;
  result.loss = 1 + setting.label_variance - 2 * p + p * p + mu.dot(noise_mu);
  result.mu = 2 * (p - 1) * omega + 2 * noise_mu;
  const Matrix weighted = noise.cwiseProduct(mu * mu.transpose());
  result.omega = 2 * (p - 1) * mu + 2 * setting.dimension * (weighted * omega);
  return result;
}

Vector best_output_weights(const HeadsSetting& setting, const VectorRef& omega) {
  require_heads(setting, omega, omega);
  const Eigen::MatrixXd system = noise_matrix(setting, omega) + omega * omega.transpose();
  return Eigen::LDLT<Eigen::MatrixXd>(system).solve(omega);
}

double first_order_heads_risk(const HeadsSetting& setting, const VectorRef& omega,
                              const VectorRef& mu) {
  require_heads(setting, omega, mu);
  const double half = setting.dimension / 2;
  const double p = mu.dot(omega);
  double bias = 0;
  double noise = 0;
  for (Index h = 0; h < omega.size(); ++h)
    for (Index k = 0; k < omega.size(); ++k) {
      const double c = omega(h) * omega(k);
      if (mu(h) == 0 || mu(k) == 0) continue;
      if (!(c < 0.5)) return std::numeric_limits<double>::infinity();
      const double e0 = portable::pow(1 - 2 * c, -half);
      const double e1 = e0 / (1 - 2 * c);
      noise += mu(h) * mu(k) * ((1 + setting.label_variance) * e0 + c * e1);
      if (h == k) bias += mu(h) * omega(h) * e1;
    }
  return setting.label_variance + (1 - p) * (1 - p) + (2 * (1 - p) * bias + noise) / setting.length;
}

double approximate_step(const HeadsSetting& setting) {
  require_setting(setting);
  return 1 / (1 + (1 + setting.label_variance) * setting.dimension / setting.length);
}

double approximate_pair_risk(const HeadsSetting& setting) {
  return setting.label_variance + 1 - approximate_step(setting);
}

double approximate_single_risk(const HeadsSetting& setting) {
  require_setting(setting);
  const double x = kE * setting.dimension * (1 + setting.label_variance) / setting.length;
  return setting.label_variance + x / (1 + x);
}

double approximate_single_omega(const HeadsSetting& setting) {
  require_setting(setting);
  return 1 / std::sqrt(setting.dimension);
}

double approximate_single_mu(const HeadsSetting& setting) {
  require_setting(setting);
  const double x = kE * setting.dimension * (1 + setting.label_variance) / setting.length;
  return std::sqrt(setting.dimension) / (1 + x);
}

double pair_mu(const HeadsSetting& setting, double gamma) {
  require_setting(setting);
  require_range(gamma, 1e-12, 100, "gamma");
  const double square = gamma * gamma;
  return gamma / 2 /
         (square +
          (1 + setting.label_variance) / setting.length * sinh(setting.dimension * square));
}

double vanilla_risk(const HeadsSetting& setting, double eta) {
  require_setting(setting);
  const double d = setting.dimension;
  const double s2 = setting.label_variance;
  return s2 + 1 - 2 * eta + eta * eta * (1 + (d + 1 + d * s2) / setting.length);
}

double vanilla_step(const HeadsSetting& setting) {
  require_setting(setting);
  const double d = setting.dimension;
  return setting.length / (setting.length + d + 1 + d * setting.label_variance);
}

double debiased_risk(const HeadsSetting& setting, double eta) {
  require_setting(setting);
  const double d = setting.dimension;
  const double L = setting.length;
  const double s2 = setting.label_variance;
  return s2 + 1 - 2 * eta * (L - 1) / L + eta * eta * (L - 1) * (L + d + d * s2) / (L * L);
}

double debiased_step(const HeadsSetting& setting) {
  require_setting(setting);
  const double d = setting.dimension;
  return setting.length / (setting.length + d + d * setting.label_variance);
}

double bayes_risk_limit(double ratio, double label_variance) {
  require_range(ratio, 1e-12, 1e12, "ratio");
  require_range(label_variance, 0, 1e9, "labelVariance");
  const double s2 = label_variance;
  const double gap = s2 + (1 - ratio) / ratio;
  return (s2 + (ratio - 1) / ratio + std::sqrt(4 * s2 + gap * gap)) / 2;
}

double gradient_descent_risk_limit(double ratio, double label_variance) {
  require_range(ratio, 0, 1e12, "ratio");
  const double noise = (1 + label_variance) * ratio;
  return label_variance + noise / (1 + noise);
}

double bayes_ratio_bound(double ratio, double label_variance) {
  require_range(ratio, 1e-12, 1e12, "ratio");
  const double s2 = label_variance;
  return 1 + 1 / (s2 * (1 + ratio * s2) * (1 + s2 + 1 / ratio));
}

Vector vanilla_predictions(const Prompts& prompts, double eta) {
  const Index d = prompts.queries.cols();
  return linear_predictions(prompts, eta * Matrix::Identity(d, d));
}

Vector debiased_predictions(const Prompts& prompts, double eta) {
  Prompts centred = prompts;
  const Index L = prompts.length;
  for (Index p = 0; p < prompts.queries.rows(); ++p) {
    const Vector mean =
        prompts.tokens.middleRows(p * L, L).colwise().sum().transpose() / static_cast<double>(L);
    centred.tokens.middleRows(p * L, L).rowwise() -= mean.transpose();
  }
  return vanilla_predictions(centred, eta);
}

}  // namespace attnlab::regression

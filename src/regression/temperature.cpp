#include "regression/temperature.h"

#include <cmath>
#include <limits>

#include "core/portable.h"
#include "core/require.h"

namespace attnlab::regression {
namespace {

// count, then for each omega: f^2, f t, t^2, f^4, f^3 t, f^2 t^2, f t^3, t^4.
constexpr std::size_t kSumsEach = 8;

}  // namespace

std::vector<double> temperature_grid(double step, double last) {
  require_range(step, 1e-3, 10, "gridStep");
  std::vector<double> grid;
  for (int i = 1; i * step <= last * (1 + 1e-12); ++i)
    grid.push_back(i * step);
  return grid;
}

TemperatureScan::TemperatureScan(std::size_t temperatures)
    : sums_(1 + kSumsEach * temperatures, 0) {}

void TemperatureScan::add(const Prompts& prompts, const MatrixRef& inverse_covariance,
                          std::span<const double> temperatures) {
  const Index L = prompts.length;
  require_shape(prompts.tokens.rows(), 1, L * prompts.queries.rows(), 1, "tokens");
  Vector scores(L);
  for (Index p = 0; p < prompts.queries.rows(); ++p) {
    const auto tokens = prompts.tokens.middleRows(p * L, L);
    const auto labels = prompts.labels.segment(p * L, L);
    scores = tokens * (inverse_covariance * prompts.queries.row(p).transpose());
    const double top = scores.maxCoeff();
    const double t = prompts.targets(p);
    sums_[0] += 1;
    for (std::size_t k = 0; k < temperatures.size(); ++k) {
      double weight = 0;
      double label = 0;
      for (Index i = 0; i < L; ++i) {
        const double w = portable::exp(temperatures[k] * (scores(i) - top));
        weight += w;
        label += w * labels(i);
      }
      const double f = label / weight;
      double* sum = &sums_[1 + kSumsEach * k];
      const double ff = f * f;
      const double ft = f * t;
      const double tt = t * t;
      sum[0] += ff;
      sum[1] += ft;
      sum[2] += tt;
      sum[3] += ff * ff;
      sum[4] += ff * ft;
      sum[5] += ft * ft;
      sum[6] += ft * tt;
      sum[7] += tt * tt;
    }
  }
}

void TemperatureScan::add(std::span<const double> sums) {
  require_shape(static_cast<Index>(sums.size()), 1, static_cast<Index>(sums_.size()), 1, "sums");
  for (std::size_t i = 0; i < sums.size(); ++i)
    sums_[i] += sums[i];
}

TemperatureScan::Best TemperatureScan::best(std::span<const double> temperatures) const {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  Best best{kNaN, kNaN, kNaN, kNaN};
  const double n = sums_[0];
  if (!(n > 1)) return best;
  for (std::size_t k = 0; k < temperatures.size(); ++k) {
    const double* sum = &sums_[1 + kSumsEach * k];
    const double b = sum[1] / sum[0];
    const double risk = (b * b * sum[0] - 2 * b * sum[1] + sum[2]) / n;
    if (!(risk < best.risk) && !std::isnan(best.risk)) continue;
    const double b2 = b * b;
    const double square =
        (b2 * b2 * sum[3] - 4 * b * b2 * sum[4] + 6 * b2 * sum[5] - 4 * b * sum[6] + sum[7]) / n;
    best = {risk, std::sqrt(std::fmax(0, square - risk * risk) / (n - 1)), temperatures[k], b};
  }
  return best;
}

SingleHead best_single_head(const HeadsSetting& setting) {
  SingleHead best{std::numeric_limits<double>::infinity(), 0, 0};
  const double half = setting.dimension / 2;
  for (int i = 1; i < 700; ++i) {
    const double omega = 1e-3 * i;
    const double u = omega * omega;
    if (!(u < 0.5)) break;
    const double e0 = portable::pow(1 - 2 * u, -half);
    const double e1 = e0 / (1 - 2 * u);
    // With p = mu omega: (1 - p)^2 + 2 p (1 - p) e1 / L + p^2 K, K = ((1 + s2) e0 / u + e1) / L.
    const double bias = e1 / setting.length;
    const double noise = ((1 + setting.label_variance) * e0 / u + e1) / setting.length;
    const double curvature = 1 - 2 * bias + noise;
    if (!(curvature > 0) || !(bias < 1)) continue;
    const double p = (1 - bias) / curvature;
    const double risk =
        first_order_heads_risk(setting, Vector::Constant(1, omega), Vector::Constant(1, p / omega));
    if (risk < best.risk) best = {risk, omega, p / omega};
  }
  return best;
}

}  // namespace attnlab::regression

#include "needle/argmax_posterior.h"

#include <array>
#include <cmath>

#include "core/error.h"
#include "core/require.h"
#include "core/special.h"
#include "needle/model.h"

namespace attnlab::needle {

namespace {

constexpr Index kNodes = 20;

// Phi and its density on a grid, with cubic interpolation by value and slope: absolute error below
// 1e-9. The averages over fields call them by the million.
class NormalTable {
 public:
  NormalTable() {
    for (Index i = 0; i <= kCells; ++i) {
      const double x = kLow + kStep * static_cast<double>(i);
      const auto j = static_cast<std::size_t>(i);
      cdf_[j] = normal_cdf(x);
      density_[j] = normal_density(x);
    }
  }
  double cdf(double x) const {
    if (x <= kLow) return 0;
    if (x >= -kLow) return 1;
    const double at = (x - kLow) / kStep;
    const auto cell = static_cast<std::size_t>(at);
    return hermite(at - static_cast<double>(cell), cdf_[cell], cdf_[cell + 1], density_[cell],
                   density_[cell + 1]);
  }
  double density(double x) const {
    if (x <= kLow || x >= -kLow) return 0;
    const double at = (x - kLow) / kStep;
    const auto cell = static_cast<std::size_t>(at);
    const double left = kLow + kStep * static_cast<double>(cell);
    return hermite(at - static_cast<double>(cell), density_[cell], density_[cell + 1],
                   -left * density_[cell], -(left + kStep) * density_[cell + 1]);
  }

 private:
  static double hermite(double t, double low, double high, double low_slope, double high_slope) {
    const double u = 1 - t;
    return u * u * ((1 + 2 * t) * low + t * kStep * low_slope) +
           t * t * ((3 - 2 * t) * high - u * kStep * high_slope);
  }
  static constexpr double kLow = -8.5;
  static constexpr double kStep = 1.0 / 64;
  static constexpr Index kCells = 17 * 64;
  std::array<double, kCells + 1> cdf_{}, density_{};
};

const NormalTable& normal_table() {
  static const NormalTable kTable;
  return kTable;
}

}  // namespace

ArgmaxPosterior::ArgmaxPosterior(Index length, double variance)
    : length_(length), spread_(std::sqrt(variance)), rule_(gauss_hermite(kNodes)) {
  require_range(static_cast<double>(length), 1, static_cast<double>(kLargestEvolutionLength),
                "length");
  if (!(variance > 0)) fail(ErrorCode::kDomain, "variance", "a positive variance is expected");
}

void ArgmaxPosterior::probabilities(const double* means, double* probabilities) const {
  with_slopes(means, probabilities, nullptr);
}

void ArgmaxPosterior::with_slopes(const double* means, double* probabilities,
                                  double* slopes) const {
  const Index n = length_;
  const NormalTable& normal = normal_table();
  if (slopes != nullptr)
    for (Index i = 0; i < n * n; ++i)
      slopes[i] = 0;
  double sum = 0;
  for (Index e = 0; e < n; ++e) {
    probabilities[e] = 0;
    for (Index q = 0; q < rule_.nodes.size(); ++q) {
      double below[kLargestEvolutionLength];
      double product = rule_.weights[q];
      for (Index l = 0; l < n; ++l) {
        below[l] = l == e ? 1.0 : normal.cdf((means[e] - means[l]) / spread_ + rule_.nodes[q]);
        product *= below[l];
      }
      probabilities[e] += product;
      if (slopes == nullptr || product < 1e-15) continue;
      for (Index l = 0; l < n; ++l) {
        if (l == e) continue;
        const double at = (means[e] - means[l]) / spread_ + rule_.nodes[q];
        const double slope = product / below[l] * normal.density(at) / spread_;
        slopes[e * n + l] -= slope;
        slopes[e * n + e] += slope;
      }
    }
    sum += probabilities[e];
  }
  for (Index e = 0; e < n; ++e)
    probabilities[e] = std::fmax(probabilities[e] / sum, 1e-300);
}

}  // namespace attnlab::needle

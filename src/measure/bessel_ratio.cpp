#include "measure/bessel_ratio.h"

#include <array>
#include <cmath>

#include "core/portable.h"
#include "core/special.h"

namespace attnlab::measure {
namespace {

constexpr double kLarge = 1e5;
// Where the terms of an expansion in m^2 / k fall by hundreds.
constexpr double kManyTimes = 100;
// Below it k^2 does not count beside 1.
constexpr double kTiny = 1e-8;
constexpr double kPi = 3.14159265358979323846;

}  // namespace

double bessel_ratio(double nu, double k) {
  if (k > kLarge) return 1 - bessel_ratio_complement(nu, k);
  const auto steps = static_cast<int>(k) + 60;
  const double last = nu + steps;
  double ratio = k / (last + std::sqrt(last * last + k * k));
  for (int j = steps - 1; j >= 0; --j)
    ratio = k / (2 * (nu + j) + k * ratio);
  return ratio;
}

double bessel_ratio_complement(double nu, double k) {
  if (!(k > kLarge)) return 1 - bessel_ratio(nu, k);
  // From R' = 1 - m R / k - R^2, m = 2 nu - 1.
  const double m = 2 * nu - 1;
  const double second = m * (m - 2) / 8;
  return (m / 2 - (second + second / k) / k) / k;
}

double bessel_ratio_slope(double nu, double k) {
  const double m = 2 * nu - 1;
  if (m == 0) {  // R = tanh k
    const double e = portable::exp(-2 * k);
    return 4 * e / ((1 + e) * (1 + e));
  }
  if (k > kManyTimes * (m * m + 1)) {
    // R = sum_j r_j k^-j, by the same equation.
    constexpr std::size_t kTerms = 9;
    std::array<double, kTerms> r{1};
    double slope = 0;
    double power = 1 / k;
    for (std::size_t n = 1; n < kTerms; ++n) {
      double sum = (m + 1 - static_cast<double>(n)) * r[n - 1];
      for (std::size_t i = 1; i < n; ++i)
        sum += r[i] * r[n - i];
      r[n] = -sum / 2;
      power /= k;
      slope -= static_cast<double>(n) * r[n] * power;
    }
    return slope;
  }
  const double ratio = bessel_ratio(nu, k);
  // R / k = 1 / (2 nu) (1 - k^2 / (4 nu (nu + 1)) + ...)
  const double across = k < kTiny ? 1 / (2 * nu) : ratio / k;
  return 1 - m * across - ratio * ratio;
}

double log_bessel_partition(double nu, double k) {
  if (k > kLarge) return k + log_bessel_excess(nu, k);
  // sum_j (k^2 / 4)^j / (j! (nu)_j): every term is positive; the sum is kept below overflow.
  constexpr double kShrink = 1e-200;
  const double x = k * k / 4;
  double term = 1;
  double sum = 1;
  double log_scale = 0;
  for (double j = 1; term > 1e-18 * sum || j < k / 2; j += 1) {
    term *= x / (j * (nu + j - 1));
    sum += term;
    if (sum > 1e200) {
      sum *= kShrink;
      term *= kShrink;
      log_scale -= portable::log(kShrink);
    }
  }
  // Near 0 the logarithm of 1 + small.
  if (log_scale == 0 && sum < 1.5) return portable::log1p(sum - 1);
  return log_scale + portable::log(sum);
}

double log_bessel_excess(double nu, double k) {
  if (!(k > kLarge)) return log_bessel_partition(nu, k) - k;
  // I_{nu - 1}(k) = e^k / sqrt(2 pi k) (1 - (4 (nu - 1)^2 - 1) / (8 k) + ...).
  const double u = 4 * (nu - 1) * (nu - 1);
  const double x = 1 / (8 * k);
  const double third = (u - 1) * (u - 9) * (u - 25) / 6;
  const double tail = portable::log1p(x * (-(u - 1) + x * ((u - 1) * (u - 9) / 2 - x * third)));
  return tail - portable::log(2 * kPi * k) / 2 + log_gamma(nu) + (nu - 1) * portable::log(2 / k);
}

}  // namespace attnlab::measure

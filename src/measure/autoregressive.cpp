#include "measure/autoregressive.h"

#include <cmath>

#include "core/portable.h"
#include "core/require.h"

namespace attnlab::measure {

void make_autoregressive(Eigen::Ref<Matrix> tokens, double persistence, Vector& previous) {
  const double fresh = std::sqrt(1 - persistence * persistence);
  for (Index i = 0; i < tokens.rows(); ++i) {
    if (previous.size() != 0)
      tokens.row(i) = persistence * previous.transpose() + fresh * tokens.row(i);
    previous = tokens.row(i).transpose();
  }
}

double autoregressive_output_constant(const MatrixRef& covariance, const VectorRef& a,
                                      double persistence) {
  require_range(persistence, -0.9999, 0.9999, "persistence");
  const Vector b = covariance * a;
  const double q = a.dot(b);
  const double trace = covariance.trace();
  const double square = b.squaredNorm();
  double total = portable::exp(q) * (trace + square);
  double power = persistence;
  // Ends when a lag no longer counts: at most a few hundred thousand lags at 0.9999.
  while (std::fabs(power) > 1e-17) {
    total += 2 * portable::exp(q * power) * (power * trace + power * power * square);
    power *= persistence;
  }
  return total;
}

}  // namespace attnlab::measure

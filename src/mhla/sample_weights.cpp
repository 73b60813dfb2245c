#include "mhla/sample_weights.h"

#include <cmath>
#include <string>

#include "core/require.h"

namespace attnlab::mhla {

void require_weights(const Vector& weights, Index count) {
  if (weights.size() == 0) return;
  if (weights.size() != count)
    fail(ErrorCode::kShape, "weights",
         "has " + std::to_string(weights.size()) + " entries; " + std::to_string(count) +
             " samples are given");
  require_finite_vector(weights, "weights");
  for (Index i = 0; i < count; ++i)
    require_range(weights(i), 0, 1e100, "weights");
  if (!(weights.sum() > 0))
    fail(ErrorCode::kOutOfRange, "weights", "are all 0; at least one must be positive");
}

Vector scaled_weights(const Vector& weights) {
  if (weights.size() == 0) return weights;
  const int exponent = std::ilogb(weights.maxCoeff());
  const int even = exponent - (exponent % 2 != 0 ? 1 : 0);
  return weights.unaryExpr([even](double weight) { return std::ldexp(weight, -even); });
}

double target_variance(const MatrixRef& targets, const Vector& weights) {
  // From one that counts, so that equal targets vary by exactly 0.
  Index heaviest = 0;
  if (weights.size() > 0) weights.maxCoeff(&heaviest);
  const Vector origin = targets.row(heaviest).transpose();
  const auto offset = [&](Index i) -> Vector { return targets.row(i).transpose() - origin; };
  const auto weight = [&](Index i) { return weights.size() == 0 ? 1.0 : weights(i); };
  double total = 0;
  Vector mean = Vector::Zero(targets.cols());
  for (Index i = 0; i < targets.rows(); ++i) {
    total += weight(i);
    mean += weight(i) * offset(i);
  }
  mean /= total;
  double sum = 0;
  for (Index i = 0; i < targets.rows(); ++i)
    sum += weight(i) * (offset(i) - mean).squaredNorm();
  return sum / total;
}

}  // namespace attnlab::mhla

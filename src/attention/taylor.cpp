#include "attention/taylor.h"

#include <cmath>
#include <limits>
#include <string>

#include "core/require.h"

namespace attnlab::attention {
namespace {

constexpr double kStateBytes = 64.0 * 1024 * 1024;

void require_order(Index order) {
  if (order < 0 || order > kLargestTaylorOrder)
    fail(ErrorCode::kOutOfRange, "order",
         "is " + std::to_string(order) + "; 0 to " + std::to_string(kLargestTaylorOrder) +
             " is allowed");
}

}  // namespace

double truncated_exponential(double s, Index order) {
  double sum = 1;
  // From the highest term down: no power can overflow before its factorial divides it.
  for (Index n = order; n >= 1; --n)
    sum = 1 + s / static_cast<double>(n) * sum;
  return sum;
}

double taylor_zero(Index order) {
  require_order(order);
  if (order % 2 == 0)
    fail(ErrorCode::kOutOfRange, "order",
         "is " + std::to_string(order) + "; the even orders have no real zero");
  double low = -static_cast<double>(order) - 1;
  double high = 0;
  for (int i = 0; i < 200; ++i) {
    const double middle = (low + high) / 2;
    (truncated_exponential(middle, order) < 0 ? low : high) = middle;
  }
  return high;
}

TaylorResult taylor_attention(const MatrixRef& queries, const MatrixRef& keys,
                              const MatrixRef& values, Index order, double scale, TaylorNorm norm) {
  require_shape(keys.rows(), keys.cols(), -1, queries.cols(), "keys");
  require_shape(values.rows(), values.cols(), keys.rows(), -1, "values");
  require_finite(queries, "queries");
  require_finite(keys, "keys");
  require_finite(values, "values");
  require_finite(scale, "scale");
  require_order(order);
  TaylorResult result{Matrix::Zero(queries.rows(), values.cols()), Vector::Zero(queries.rows()), 0};
  Vector numerator(values.cols());
  for (Index i = 0; i < queries.rows(); ++i) {
    numerator.setZero();
    double denominator = 0;
    for (Index j = 0; j < keys.rows(); ++j) {
      const double w = truncated_exponential(scale * queries.row(i).dot(keys.row(j)), order);
      denominator += w;
      numerator += w * values.row(j).transpose();
    }
    result.denominators(i) = denominator;
    if (!(denominator > 0)) ++result.not_positive;
    double divisor = 1;
    if (norm == TaylorNorm::kDenominator) divisor = denominator;
    if (norm == TaylorNorm::kUnitLength) divisor = numerator.norm();
    if (divisor == 0) divisor = std::numeric_limits<double>::quiet_NaN();
    result.output.row(i) = numerator.transpose() / divisor;
  }
  return result;
}

double taylor_feature_count(Index dimension, Index order) {
  // Exact while it stays below 2^53.
  double count = 1;
  for (Index n = 1; n <= order; ++n)
    count = count * static_cast<double>(dimension + n) / static_cast<double>(n);
  return std::round(count);
}

Vector taylor_features(const VectorRef& x, Index order) {
  require_order(order);
  const Index d = x.size();
  const double size = taylor_feature_count(d, order);
  require_memory(8 * size, kStateBytes, "order");
  Vector features(static_cast<Index>(size));
  features(0) = 1;
  // Degree by degree: a monomial is one of the degree below times x_j, j not before its last
  // coordinate, so that each is met once. `last` and `power` are that coordinate and its exponent.
  struct Monomial {
    Index last;
    Index power;
  };
  std::vector<Monomial> monomials = {{0, 0}};
  Index begin = 0;
  Index count = 1;
  for (Index degree = 1; degree <= order; ++degree) {
    const Index end = count;
    for (Index m = begin; m < end; ++m) {
      const Monomial monomial = monomials[static_cast<std::size_t>(m)];
      for (Index j = monomial.last; j < d; ++j) {
        const Index power = j == monomial.last ? monomial.power + 1 : 1;
        features(count++) = features(m) * x(j) / std::sqrt(static_cast<double>(power));
        monomials.push_back({j, power});
      }
    }
    begin = end;
  }
  return features;
}

TaylorState::TaylorState(Index dimension, Index value_dimension, Index order, double scale)
    : order_(order), scale_(scale) {
  require_order(order);
  require_finite(scale, "scale");
  const double features = taylor_feature_count(dimension, order);
  const auto columns = static_cast<double>(value_dimension + 1);
  require_memory(8 * features * columns, kStateBytes, "order");
  state_ = Matrix::Zero(static_cast<Index>(features), value_dimension + 1);
}

void TaylorState::add(const VectorRef& key, const VectorRef& value) {
  const Vector features = taylor_features(key, order_);
  require_shape(features.size(), value.size() + 1, state_.rows(), state_.cols(), "key");
  for (Index f = 0; f < features.size(); ++f) {
    state_.row(f).head(value.size()) += features(f) * value.transpose();
    state_(f, value.size()) += features(f);
  }
}

TaylorState::Answer TaylorState::ask(const VectorRef& query) const {
  const Vector features = taylor_features(scale_ * query, order_);
  require_shape(features.size(), 1, state_.rows(), 1, "query");
  const Vector sums = state_.transpose() * features;
  const Index p = sums.size() - 1;
  const double denominator = sums(p);
  const double divisor = denominator == 0 ? std::numeric_limits<double>::quiet_NaN() : denominator;
  return {sums.head(p) / divisor, denominator};
}

double taylor_gaussian_gain(double r, Index order) {
  require_order(order);
  if (order < 1) fail(ErrorCode::kOutOfRange, "order", "is 0; 1 or more is allowed");
  const double x = r * r / 2;
  return truncated_exponential(x, (order - 1) / 2) / truncated_exponential(x, order / 2);
}

}  // namespace attnlab::attention

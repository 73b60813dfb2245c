// sum_i c_i delta_{x_i}: the measure whose T is ordinary softmax attention.
#include <algorithm>
#include <string>

#include "core/portable.h"
#include "core/require.h"
#include "measure/measure.h"

namespace attnlab::measure {
namespace {

class Empirical final : public Measure {
 public:
  Empirical(const MatrixRef& tokens, const VectorRef& weights)
      : tokens_(tokens), equal_(weights.size() == 0) {
    const Index n = tokens.rows();
    weights_ = equal_ ? Vector::Constant(n, 1.0 / static_cast<double>(n)) : Vector(weights);
    if (equal_) return;
    weights_ /= weights_.sum();
    cumulative_.resize(static_cast<std::size_t>(n));
    double total = 0;
    for (Index i = 0; i < n; ++i)
      cumulative_[static_cast<std::size_t>(i)] = total += weights_(i);
  }

  std::string_view kind() const override { return "empirical"; }
  Index dimension() const override { return tokens_.cols(); }
  bool contains(const VectorRef&) const override { return true; }

  Tilted tilt(const VectorRef& a) const override {
    Tilted result;
    const Vector p = tilted_weights(tokens_, a, result.log_partition);
    result.mean = tokens_.transpose() * p;
    result.covariance = covariance_about(tokens_, p, result.mean);
    return result;
  }

  Tilted tilt_about(const VectorRef& a, const VectorRef& centre) const override {
    const Matrix shifted = tokens_.rowwise() - centre.transpose();
    Tilted result;
    const Vector p = tilted_weights(shifted, a, result.log_partition);
    result.mean = shifted.transpose() * p;
    result.covariance = covariance_about(shifted, p, result.mean);
    return result;
  }

  void draw(RandomStream& random, Eigen::Ref<Matrix> tokens) const override {
    const auto n = static_cast<std::uint64_t>(tokens_.rows());
    for (Index i = 0; i < tokens.rows(); ++i) {
      const Index row = equal_ ? static_cast<Index>(random.below(n)) : weighted_row(random);
      tokens.row(i) = tokens_.row(row);
    }
  }

  double tilted_spread(const VectorRef& a, const VectorRef& centre,
                       const MatrixRef& shape) const override {
    double log_partition = 0;
    const Vector p = tilted_weights(tokens_, a, log_partition);
    double total = 0;
    Vector deviation(dimension());
    for (Index i = 0; i < tokens_.rows(); ++i) {
      deviation = tokens_.row(i).transpose() - centre;
      const double size = deviation.squaredNorm();
      total += p(i) * (size * size - 2 * deviation.dot(shape * deviation));
    }
    return total + shape.squaredNorm();
  }

 private:
  // c_i e^{<a, x_i>} / sum; the largest score is taken out, so no score overflows.
  Vector tilted_weights(const Matrix& tokens, const VectorRef& a, double& log_partition) const {
    Vector p = tokens * a;
    const double largest = p.maxCoeff();
    double total = 0;
    for (Index i = 0; i < p.size(); ++i)
      total += p(i) = weights_(i) * portable::exp(p(i) - largest);
    log_partition = largest + portable::log(total);
    return p / total;
  }

  static Matrix covariance_about(const Matrix& tokens, const Vector& p, const Vector& mean) {
    const Index d = tokens.cols();
    Matrix covariance = Matrix::Zero(d, d);
    Vector deviation(d);
    for (Index i = 0; i < tokens.rows(); ++i) {
      deviation = tokens.row(i).transpose() - mean;
      covariance += p(i) * (deviation * deviation.transpose());
    }
    return covariance;
  }

  Index weighted_row(RandomStream& random) const {
    const double u = random.uniform() * cumulative_.back();
    const auto place = std::upper_bound(cumulative_.begin(), cumulative_.end(), u);
    return std::min<Index>(place - cumulative_.begin(), tokens_.rows() - 1);
  }

  Matrix tokens_;
  Vector weights_;  // sum to one
  bool equal_;
  std::vector<double> cumulative_;  // empty when all weights are equal
};

}  // namespace

std::unique_ptr<Measure> empirical(const MatrixRef& tokens, const VectorRef& weights) {
  if (tokens.rows() < 1 || tokens.cols() < 1)
    fail(ErrorCode::kShape, "tokens",
         "is " + std::to_string(tokens.rows()) + " x " + std::to_string(tokens.cols()) +
             "; at least one token of at least one coordinate is expected");
  require_finite(tokens, "tokens");
  if (weights.size() != 0) {
    require_shape(weights.size(), 1, tokens.rows(), 1, "weights");
    require_finite_vector(weights, "weights");
    if (weights.minCoeff() < 0)
      fail(ErrorCode::kOutOfRange, "weights",
           "has the entry " + show(weights.minCoeff()) + "; none may be negative");
    if (!(weights.maxCoeff() > 0))
      fail(ErrorCode::kOutOfRange, "weights", "is all zero; one entry at least must be positive");
    require_finite_sum(weights, "weights");
  }
  return std::make_unique<Empirical>(tokens, weights);
}

}  // namespace attnlab::measure

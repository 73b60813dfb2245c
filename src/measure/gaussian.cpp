// N(m, G) with any positive semi-definite G.
#include <limits>

#include "core/require.h"
#include "measure/measure.h"
#include "measure/psd_factor.h"

namespace attnlab::measure {
namespace {

class Gaussian final : public Measure {
 public:
  Gaussian(const VectorRef& mean, const MatrixRef& covariance)
      : mean_(mean),
        covariance_(covariance),
        factor_(psd_factor(covariance, "covariance")),
        standard_(mean.isZero(0) && covariance == Matrix::Identity(mean.size(), mean.size())) {}

  std::string_view kind() const override { return "gaussian"; }
  Index dimension() const override { return mean_.size(); }
  bool contains(const VectorRef&) const override { return true; }

  Tilted tilt(const VectorRef& a) const override {
    const Vector shift = covariance_ * a;
    return {a.dot(mean_) + a.dot(shift) / 2, mean_ + shift, covariance_};
  }

  Tilted tilt_about(const VectorRef& a, const VectorRef& centre) const override {
    const Vector shift = covariance_ * a;
    const Vector offset = mean_ - centre;
    return {a.dot(offset) + a.dot(shift) / 2, offset + shift, covariance_};
  }

  void draw(RandomStream& random, Eigen::Ref<Matrix> tokens) const override {
    if (standard_ && tokens.outerStride() == tokens.cols()) {
      random.fill_gaussian({tokens.data(), static_cast<std::size_t>(tokens.size())});
      return;
    }
    Vector normal(factor_.cols());
    for (Index i = 0; i < tokens.rows(); ++i) {
      random.fill_gaussian({normal.data(), static_cast<std::size_t>(normal.size())});
      tokens.row(i) = (mean_ + factor_ * normal).transpose();
    }
  }

  // With y = x - centre ~ N(delta, G): E |y|^4 = (tr G + |delta|^2)^2 + 2 tr G^2 + 4 delta^T G
  // delta.
  double tilted_spread(const VectorRef& a, const VectorRef& centre,
                       const MatrixRef& shape) const override {
    const Vector delta = (mean_ - centre) + covariance_ * a;
    const double size = covariance_.trace() + delta.squaredNorm();
    const double fourth =
        size * size + 2 * covariance_.squaredNorm() + 4 * delta.dot(covariance_ * delta);
    const double cross = shape.cwiseProduct(covariance_).sum() + delta.dot(shape * delta);
    return fourth - 2 * cross + shape.squaredNorm();
  }

 private:
  Vector mean_;
  Matrix covariance_;
  Matrix factor_;  // d x rank
  bool standard_;  // N(0, I): draws need no product
};

}  // namespace

std::unique_ptr<Measure> gaussian(const VectorRef& mean, const MatrixRef& covariance) {
  if (mean.size() < 1)
    fail(ErrorCode::kShape, "mean", "is empty; one entry a dimension is expected");
  require_finite_vector(mean, "mean");
  require_shape(covariance.rows(), covariance.cols(), mean.size(), mean.size(), "covariance");
  return std::make_unique<Gaussian>(mean, covariance);
}

}  // namespace attnlab::measure

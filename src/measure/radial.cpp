// Uniform on a sphere or a ball of R^d.
//
// The ball of R^d is the sphere of R^{d + 2} less two coordinates, so one formula serves both: with
// D the dimension of the sphere, k = r |a|, nu = D / 2 and R = I_nu(k) / I_{nu - 1}(k),
//   Lambda = log 0F1(nu; k^2 / 4), grad = r R e, Hess = r^2 [(1 - (D - 1) R / k - R^2) e e^T
//   + (R / k)(I - e e^T)], e = a / |a|.
#include <cmath>
#include <string>

#include "core/require.h"
#include "measure/bessel_ratio.h"
#include "measure/central_moments.h"
#include "measure/measure.h"

namespace attnlab::measure {
namespace {

// E t^j, j = 0 ... 4, for t = <e, x> / r under the density e^{k t} (1 - t^2)^{(D - 3) / 2}.
struct HeightMoments {
  double first, second, third, fourth;
};

HeightMoments height_moments(double D, double k) {
  const double first = bessel_ratio(D / 2, k);
  // Below, the recurrence from integration by parts would subtract equal numbers; the leading
  // terms are then right to a relative 1e-6.
  if (k < 1e-3) return {first, 1 / D, 3 * k / (D * (D + 2)), 3 / (D * (D + 2))};
  const double second = 1 - (D - 1) * first / k;
  const double third = first + (1 - D * second) / k;
  const double fourth = second + (2 * first - (D + 1) * third) / k;
  return {first, second, third, fourth};
}

// Below it k^2 does not count beside 1.
constexpr double kTiny = 1e-8;

// |a|, also where its square leaves the range of a double.
double length_of(const VectorRef& a) {
  const double length = a.norm();
  return length > 1e-150 && std::isfinite(length) ? length : a.stableNorm();
}

class Radial final : public Measure {
 public:
  Radial(Index dimension, double radius, Index hidden)
      : dimension_(dimension), hidden_(hidden), radius_(radius) {}

  std::string_view kind() const override { return hidden_ == 0 ? "sphere" : "ball"; }
  Index dimension() const override { return dimension_; }
  bool contains(const VectorRef&) const override { return true; }

  Tilted tilt(const VectorRef& a) const override {
    const double D = sphere_dimension();
    const double k = radius_ * length_of(a);
    const double square = radius_ * radius_;
    const Matrix identity = Matrix::Identity(dimension_, dimension_);
    Tilted result{log_bessel_partition(D / 2, k), Vector::Zero(dimension_),
                  (square / D) * identity};
    if (!(k > 0)) return result;
    const double ratio = bessel_ratio(D / 2, k);
    const Vector e = a / length_of(a);
    const double across = k < kTiny ? 1 / D : ratio / k;
    const double along = bessel_ratio_slope(D / 2, k);
    result.mean = radius_ * ratio * e;
    const Matrix line = e * e.transpose();
    result.covariance = square * (across * (identity - line) + along * line);
    return result;
  }

  Tilted tilt_about(const VectorRef& a, const VectorRef& centre) const override {
    Tilted result = tilt(a);
    const double nu = sphere_dimension() / 2;
    const double length = length_of(a);
    const double k = radius_ * length;
    if (!(k > 1)) {
      result.log_partition -= a.dot(centre);
      result.mean -= centre;
      return result;
    }
    // From the point of the sphere at which the tilted law sits.
    const Vector e = a / length;
    const Vector offset = radius_ * e - centre;
    result.log_partition = log_bessel_excess(nu, k) + length * offset.dot(e);
    result.mean = offset - radius_ * bessel_ratio_complement(nu, k) * e;
    return result;
  }

  void draw(RandomStream& random, Eigen::Ref<Matrix> tokens) const override {
    Vector normal(dimension_ + hidden_);
    for (Index i = 0; i < tokens.rows(); ++i) {
      random.fill_gaussian({normal.data(), static_cast<std::size_t>(normal.size())});
      tokens.row(i) = (radius_ / normal.norm()) * normal.head(dimension_).transpose();
    }
  }

  double tilted_spread(const VectorRef& a, const VectorRef& centre,
                       const MatrixRef& shape) const override {
    const Tilted tilted = tilt(a);
    const double D = sphere_dimension();
    const double k = radius_ * length_of(a);
    const double r2 = radius_ * radius_;
    const HeightMoments t = height_moments(D, k);
    // |x|^2 = r^2 - h, h the hidden coordinates' square: a share of r^2 (1 - t^2).
    const auto hidden = static_cast<double>(hidden_);
    const double h = D > 1 ? r2 * (1 - t.second) * hidden / (D - 1) : 0;
    const double h_t = D > 1 ? r2 * (t.first - t.third) * hidden / (D - 1) : 0;
    const double h2 = D > 1 ? r2 * r2 * (1 - 2 * t.second + t.fourth) * hidden * (hidden + 2) /
                                  ((D - 1) * (D + 1))
                            : 0;
    const double fourth = r2 * r2 - 2 * r2 * h + h2;      // E |x|^4
    const double cubed = radius_ * (r2 * t.first - h_t);  // E |x|^2 <e, x>
    const double square = r2 - h;                         // E |x|^2
    Vector cubed_vector = Vector::Zero(dimension_);
    if (k > 0) cubed_vector = cubed * (a / length_of(a));
    const Matrix second = tilted.covariance + tilted.mean * tilted.mean.transpose();
    // E |x - c|^4 and E (x - c)^T shape (x - c), from moments about the origin.
    const double c2 = centre.squaredNorm();
    const double fourth_about = fourth - 4 * centre.dot(cubed_vector) +
                                4 * centre.dot(second * centre) + 2 * c2 * square -
                                4 * c2 * centre.dot(tilted.mean) + c2 * c2;
    const double cross = shape.cwiseProduct(second).sum() - 2 * centre.dot(shape * tilted.mean) +
                         centre.dot(shape * centre);
    return fourth_about - 2 * cross + shape.squaredNorm();
  }

 private:
  double sphere_dimension() const { return static_cast<double>(dimension_ + hidden_); }

  Index dimension_;
  Index hidden_;  // coordinates of the sphere that are not seen: 0 or 2
  double radius_;
};

std::unique_ptr<Measure> radial(Index dimension, double radius, Index hidden) {
  if (dimension < 1)
    fail(ErrorCode::kOutOfRange, "dimension",
         "is " + std::to_string(dimension) + "; 1 or more is allowed");
  require_finite(radius, "radius");
  if (!(radius > 0))
    fail(ErrorCode::kOutOfRange, "radius", "is " + show(radius) + "; more than 0 is allowed");
  return std::make_unique<Radial>(dimension, radius, hidden);
}

}  // namespace

std::unique_ptr<Measure> sphere(Index dimension, double radius) {
  return radial(dimension, radius, 0);
}

std::unique_ptr<Measure> ball(Index dimension, double radius) {
  return radial(dimension, radius, 2);
}

}  // namespace attnlab::measure

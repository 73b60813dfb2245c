// Uniform on a sphere or a ball of R^d.
//
// The ball of R^d is the sphere of R^{d + 2} less two coordinates, so one formula serves both: with
// D the dimension of the sphere, k = r |a|, nu = D / 2 and R = I_nu(k) / I_{nu - 1}(k),
//   Lambda = log 0F1(nu; k^2 / 4), grad = r R e, Hess = r^2 [(1 - (D - 1) R / k - R^2) e e^T
//   + (R / k)(I - e e^T)], e = a / |a|.
#include <array>
#include <cmath>
#include <string>

#include "core/portable.h"
#include "core/require.h"
#include "measure/bessel_ratio.h"
#include "measure/central_moments.h"
#include "measure/measure.h"

namespace attnlab::measure {
namespace {

// E u^j, j = 1 ... 4, for u = 1 - <e, x> / r, the depth below the point that the tilt turns to,
// under the density e^{-k u} (u (2 - u))^{(D - 3) / 2}.
struct DepthMoments {
  double first, second, third, fourth;
};

// By rho_j = E u^{j + 1} / E u^j = (2 j + D - 1) / (2 k + j + D - 1 - k rho_{j + 1}), from
// integration by parts. Downwards it damps errors, and no step loses digits, whatever k is.
DepthMoments depth_moments(double D, double k) {
  if (D == 1) {  // u is 0 or 2
    const double e = portable::exp(-2 * k);
    const double once = 2 * e / (1 + e);
    return {once, 2 * once, 4 * once, 8 * once};
  }
  constexpr int kSteps = 60;
  // Large j and small k have u at 2, its largest; large k has it near 0.
  const bool deep = k > 4 * (kSteps + D);
  double ratio = deep ? 0 : 2;
  std::array<double, 4> ratios{};
  for (int j = deep ? kSteps : static_cast<int>(4 * k) + 100; j >= 0; --j) {
    ratio = (2 * j + D - 1) / (k * (2 - ratio) + j + D - 1);
    if (j < 4) ratios[static_cast<std::size_t>(j)] = ratio;
  }
  const double first = ratios[0];
  const double second = first * ratios[1];
  const double third = second * ratios[2];
  return {first, second, third, third * ratios[3]};
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
    const Tilted about = tilt_about(a, centre);
    const double D = sphere_dimension();
    const double k = radius_ * length_of(a);
    const double r3 = radius_ * radius_ * radius_;
    const DepthMoments u = depth_moments(D, k);
    // y = x - mean is r (m - u) along e, m = E u, and r w across it, |w|^2 a share of u (2 - u).
    const double m = u.first;
    const double along3 = 3 * m * u.second - u.third - 2 * m * m * m;
    const double along4 = u.fourth - 4 * m * u.third + 6 * m * m * u.second - 3 * m * m * m * m;
    const auto seen = static_cast<double>(dimension_) - 1;
    const double share = D > 1 ? seen / (D - 1) : 0;
    const double share2 = D > 1 ? share * (seen + 2) / (D + 1) : 0;
    // E (m - u) u (2 - u), E (m - u)^2 u (2 - u), E u^2 (2 - u)^2.
    const double across = 2 * m * m - 2 * u.second - m * u.second + u.third;
    const double across2 =
        m * m * (2 * m - u.second) - 2 * m * (2 * u.second - u.third) + 2 * u.third - u.fourth;
    const double across4 = 4 * u.second - 4 * u.third + u.fourth;
    CentralMoments moments{about.mean, about.covariance, Vector::Zero(dimension_),
                           r3 * radius_ * (along4 + 2 * share * across2 + share2 * across4)};
    if (k > 0) moments.third = r3 * (along3 + share * across) * (a / length_of(a));
    return spread(moments, Vector::Zero(dimension_), shape);
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

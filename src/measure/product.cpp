// Measures with independent, equal coordinates: Rademacher, cube, Laplace, exponential.
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "core/portable.h"
#include "core/require.h"
#include "measure/central_moments.h"
#include "measure/measure.h"

namespace attnlab::measure {
namespace {

// Lambda and the first four cumulants of one coordinate tilted by t.
struct Cumulants {
  double log_partition = 0;
  double mean = 0;
  double variance = 0;
  double third = 0;
  double fourth = 0;
};

struct Rademacher {
  static constexpr std::string_view kKind = "rademacher";
  bool contains(double) const { return true; }
  // Tilted, it is +1 with probability (1 + tanh t) / 2.
  Cumulants cumulants(double t) const {
    const double e = portable::exp(-2 * std::fabs(t));
    const double mean = portable::tanh(t);
    // 1 - tanh^2, without cancellation.
    const double variance = 4 * e / ((1 + e) * (1 + e));
    return {std::fabs(t) + portable::log1p(e) - portable::log(2.0), mean, variance,
            -2 * mean * variance, variance * (4 - 6 * variance)};
  }
  // Of x - centre: log partition and mean.
  std::pair<double, double> about(double t, double centre) const {
    const double size = std::fabs(t);
    const double e = portable::exp(-2 * size);
    const double side = std::copysign(1.0, t);
    return {size * (1 - side * centre) + portable::log1p(e) - portable::log(2.0),
            (side - centre) - side * 2 * e / (1 + e)};
  }
  double draw(RandomStream& random) const { return (random.next_u64() >> 63U) != 0 ? 1.0 : -1.0; }
};

// Uniform on [-c, c].
struct Interval {
  static constexpr std::string_view kKind = "cube";
  double half_width;

  bool contains(double) const { return true; }
  Cumulants cumulants(double a) const {
    const double c = half_width;
    const double t = c * a;
    Cumulants unit = std::fabs(t) < kSeriesBelow ? series(t) : closed(t);
    return {unit.log_partition, c * unit.mean, c * c * unit.variance, c * c * c * unit.third,
            c * c * c * c * unit.fourth};
  }
  std::pair<double, double> about(double a, double centre) const {
    const double t = std::fabs(half_width * a);
    if (!(t > kLargeFrom)) {
      const Cumulants one = cumulants(a);
      return {one.log_partition - a * centre, one.mean - centre};
    }
    // From the end of the interval at which the tilted law sits; e^-2t is 0 to every digit.
    const double end = std::copysign(half_width, a);
    return {a * (end - centre) - portable::log(2 * t), (end - centre) - end / t};
  }
  double draw(RandomStream& random) const { return half_width * (2 * random.uniform() - 1); }

 private:
  // The closed forms subtract numbers of size 6 / t^4.
  static constexpr double kSeriesBelow = 0.7;
  static constexpr double kLargeFrom = 40;
  static constexpr std::size_t kTerms = 14;

  // coth t - 1 / t = sum_j c_j t^(2 j + 1), from L' = 1 - L^2 - 2 L / t; converges for |t| < pi.
  static std::array<double, kTerms> coefficients() {
    std::array<double, kTerms> c{};
    c[0] = 1.0 / 3;
    for (std::size_t j = 1; j < kTerms; ++j) {
      double sum = 0;
      for (std::size_t i = 0; i < j; ++i)
        sum += c[i] * c[j - 1 - i];
      c[j] = -sum / static_cast<double>(2 * j + 3);
    }
    return c;
  }

  static Cumulants series(double t) {
    static const auto c = coefficients();
    Cumulants result;
    const double s = t * t;
    for (std::size_t j = kTerms; j-- > 0;) {
      const auto p = static_cast<double>(2 * j + 1);
      result.log_partition = result.log_partition * s + c[j] / (p + 1);
      result.mean = result.mean * s + c[j];
      result.variance = result.variance * s + c[j] * p;
      if (j >= 1) {
        result.third = result.third * s + c[j] * p * (p - 1);
        result.fourth = result.fourth * s + c[j] * p * (p - 1) * (p - 2);
      }
    }
    result.log_partition *= s;
    result.mean *= t;
    result.third *= t;
    return result;
  }

  static Cumulants closed(double signed_t) {
    const double t = std::fabs(signed_t);
    const double sign = signed_t < 0 ? -1 : 1;
    const double e = portable::exp(-2 * t);
    const double coth = (1 + e) / (1 - e);
    const double csch2 = 4 * e / ((1 - e) * (1 - e));
    const double inverse2 = 1 / (t * t);
    return {t + portable::log1p(-e) - portable::log(2 * t), sign * (coth - 1 / t), inverse2 - csch2,
            sign * (2 * coth * csch2 - 2 * inverse2 / t),
            6 * inverse2 * inverse2 - 2 * csch2 * csch2 - 4 * coth * coth * csch2};
  }
};

// Density e^{-|x| / b} / (2 b).
struct Laplace {
  static constexpr std::string_view kKind = "laplace";
  double scale;

  bool contains(double a) const { return std::fabs(scale * a) < 1; }
  // A difference of two exponentials.
  Cumulants cumulants(double a) const {
    const double b = scale;
    const double right = b / (1 - b * a);
    const double left = b / (1 + b * a);
    const double right2 = right * right;
    const double left2 = left * left;
    return {-portable::log1p(-b * a * (b * a)), 2 * a * right * left, right2 + left2,
            2 * (right2 * right - left2 * left), 6 * (right2 * right2 + left2 * left2)};
  }
  double draw(RandomStream& random) const {
    const double size = -scale * portable::log(random.uniform());
    return (random.next_u64() >> 63U) != 0 ? size : -size;
  }
};

// Exponential of mean 1, less 1.
struct Exponential {
  static constexpr std::string_view kKind = "exponential";
  bool contains(double a) const { return a < 1; }
  Cumulants cumulants(double a) const {
    const double r = 1 / (1 - a);
    return {-a - portable::log1p(-a), a * r, r * r, 2 * r * r * r, 6 * r * r * r * r};
  }
  std::pair<double, double> about(double a, double centre) const {
    // A large tilt to the left leaves it at -1.
    const double r = 1 / (1 - a);
    return {-a * (1 + centre) - portable::log1p(-a), a < -1 ? r - (1 + centre) : a * r - centre};
  }
  double draw(RandomStream& random) const { return -portable::log(random.uniform()) - 1; }
};

// Where a large tilt leaves nothing but an end of the support: log partition and mean of
// x - centre are then taken from there.
template <class Coordinate>
concept HasEnds = requires(const Coordinate& coordinate) { coordinate.about(1.0, 1.0); };

template <class Coordinate>
class Product final : public Measure {
 public:
  Product(Index dimension, Coordinate coordinate)
      : dimension_(dimension), coordinate_(coordinate) {}

  std::string_view kind() const override { return Coordinate::kKind; }
  Index dimension() const override { return dimension_; }
  bool contains(const VectorRef& a) const override {
    for (Index i = 0; i < dimension_; ++i)
      if (!coordinate_.contains(a(i))) return false;
    return true;
  }

  Tilted tilt(const VectorRef& a) const override {
    require_contained(a);
    Tilted result{0, Vector(dimension_), Matrix::Zero(dimension_, dimension_)};
    for (Index i = 0; i < dimension_; ++i) {
      const Cumulants one = coordinate_.cumulants(a(i));
      result.log_partition += one.log_partition;
      result.mean(i) = one.mean;
      result.covariance(i, i) = one.variance;
    }
    return result;
  }

  Tilted tilt_about(const VectorRef& a, const VectorRef& centre) const override {
    if constexpr (HasEnds<Coordinate>) {
      Tilted result = tilt(a);
      result.log_partition = 0;
      for (Index i = 0; i < dimension_; ++i) {
        const auto [log_partition, mean] = coordinate_.about(a(i), centre(i));
        result.log_partition += log_partition;
        result.mean(i) = mean;
      }
      return result;
    } else {
      return Measure::tilt_about(a, centre);
    }
  }

  void draw(RandomStream& random, Eigen::Ref<Matrix> tokens) const override {
    for (Index i = 0; i < tokens.rows(); ++i)
      for (Index j = 0; j < dimension_; ++j)
        tokens(i, j) = coordinate_.draw(random);
  }

  double tilted_spread(const VectorRef& a, const VectorRef& centre,
                       const MatrixRef& shape) const override {
    require_contained(a);
    CentralMoments moments{Vector(dimension_), Matrix::Zero(dimension_, dimension_),
                           Vector(dimension_), 0};
    double total = 0;
    for (Index i = 0; i < dimension_; ++i) {
      const Cumulants one = coordinate_.cumulants(a(i));
      moments.mean(i) = one.mean;
      moments.covariance(i, i) = one.variance;
      moments.third(i) = one.third;
      // E y_i^4 - (E y_i^2)^2 = kappa_4 + 2 kappa_2^2.
      moments.fourth += one.fourth + 2 * one.variance * one.variance;
      total += one.variance;
    }
    moments.fourth += total * total;
    return spread(moments, centre, shape);
  }

 private:
  void require_contained(const VectorRef& a) const {
    for (Index i = 0; i < dimension_; ++i)
      if (!coordinate_.contains(a(i)))
        fail(ErrorCode::kDomain, "a",
             "entry " + std::to_string(i) + " is " + show(a(i)) +
                 ", where the log-moment-generating function of \"" + std::string(kind()) +
                 "\" is infinite");
  }

  Index dimension_;
  Coordinate coordinate_;
};

template <class Coordinate>
std::unique_ptr<Measure> product(Index dimension, Coordinate coordinate) {
  if (dimension < 1)
    fail(ErrorCode::kOutOfRange, "dimension",
         "is " + std::to_string(dimension) + "; 1 or more is allowed");
  return std::make_unique<Product<Coordinate>>(dimension, coordinate);
}

void require_positive(double value, std::string_view parameter) {
  require_finite(value, parameter);
  if (!(value > 0))
    fail(ErrorCode::kOutOfRange, parameter, "is " + show(value) + "; more than 0 is allowed");
}

}  // namespace

std::unique_ptr<Measure> rademacher(Index dimension) {
  return product(dimension, Rademacher{});
}

std::unique_ptr<Measure> cube(Index dimension, double half_width) {
  require_positive(half_width, "halfWidth");
  return product(dimension, Interval{half_width});
}

std::unique_ptr<Measure> laplace(Index dimension, double scale) {
  require_positive(scale, "scale");
  return product(dimension, Laplace{scale});
}

std::unique_ptr<Measure> exponential(Index dimension) {
  return product(dimension, Exponential{});
}

}  // namespace attnlab::measure

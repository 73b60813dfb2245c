// Measures far from the origin, and arguments far beyond the scale of the tokens.
#include <doctest/doctest.h>
#include <cmath>

#include "measure/measure.h"
#include "reference.h"

using namespace attnlab;
using attnlab::tests::close;

namespace {

Vector one(double value) {
  return Vector::Constant(1, value);
}

Matrix unit() {
  return Matrix::Identity(1, 1);
}

std::unique_ptr<measure::Measure> mixture_of(std::unique_ptr<measure::Measure> first,
                                             std::unique_ptr<measure::Measure> second) {
  std::vector<std::unique_ptr<measure::Measure>> parts;
  parts.push_back(std::move(first));
  parts.push_back(std::move(second));
  return measure::mixture(Vector::Ones(2), std::move(parts));
}

}  // namespace

TEST_CASE("a mixture of equal Gaussians is that Gaussian, however large a is") {
  const auto same =
      mixture_of(measure::gaussian(one(1), unit()), measure::gaussian(one(1), unit()));
  for (const double a : {0.5, 1e6, 1e7, 1e8}) {
    const measure::Tilted tilted = same->tilt(one(a));
    CHECK(tilted.mean(0) == 1 + a);
    CHECK(tilted.covariance(0, 0) == 1);
  }
}

TEST_CASE("the parts of a mixture share out as they do at the origin, wherever they lie") {
  const double a = .5;
  const auto at = [&](double offset) {
    return mixture_of(measure::gaussian(one(offset), unit()),
                      measure::gaussian(one(offset + 2), unit()));
  };
  const auto here = at(0);
  const double mean = here->tilt(one(a)).mean(0);
  const measure::FiniteConstants expected = measure::constants(*here, one(a), unit());
  for (const double offset : {1e8, 1e12, -1e12}) {
    const auto far = at(offset);
    CHECK(close(far->tilt(one(a)).mean(0) - offset, mean, 0, 2e-4));  // of a double at 1e12
    const measure::FiniteConstants found = measure::constants(*far, one(a), unit());
    CHECK(close(found.output, expected.output, 1e-3, 0));
    CHECK(close(found.bias(0), expected.bias(0), 1e-3, 0));
    CHECK(close(found.effective_sample_share, expected.effective_sample_share, 1e-12, 0));
  }
}

TEST_CASE("the constants of a Gaussian do not lose to its mean") {
  const measure::FiniteConstants found =
      measure::constants(*measure::gaussian(one(1e16), unit()), one(.5), unit());
  // q = 1/4: output e^q (1 + q), bias -e^q / 2.
  CHECK(close(found.output, std::exp(.25) * 1.25, 1e-14, 0));
  CHECK(close(found.bias(0), -std::exp(.25) / 2, 1e-14, 0));
}

TEST_CASE("an average stays within the support, and parts of one law share evenly") {
  // In one dimension cube and ball are the same law.
  const auto both = mixture_of(measure::cube(1, 2), measure::ball(1, 2));
  for (const double a : {3.0, 60.0, 1e4, 1e8, 1e150}) {
    const measure::Tilted tilted = both->tilt(one(a));
    const measure::Tilted alone = measure::cube(1, 2)->tilt(one(a));
    CAPTURE(a);
    CHECK(close(tilted.mean(0), alone.mean(0), 1e-13, 0));
    CHECK(close(tilted.covariance(0, 0), alone.covariance(0, 0), 1e-6, 0));
  }
}

TEST_CASE("shares of bounded laws keep their limit for a large a") {
  const auto share = [](const measure::Measure& law, double a) {
    return measure::constants(law, one(a), unit()).effective_sample_share;
  };
  for (const double a : {30.0, 1e6, 1e16, 1e150}) {
    CAPTURE(a);
    // e^{2 Lambda(a) - Lambda(2 a)}: one half, and 1 / (c a).
    CHECK(close(share(*measure::rademacher(1), a), .5, 1e-12, 0));
    CHECK(close(share(*measure::sphere(1, 1), a), .5, 1e-10, 0));
    CHECK(close(share(*measure::cube(1, 2), a), 1 / (2 * a), 1e-12, 0));
    CHECK(close(share(*measure::ball(1, 2), a), 1 / (2 * a), 1e-6, 0));
  }
}

TEST_CASE("expectations of squares are never negative") {
  for (const double a : {1e-300, 1e-10, 1e-3, .5, 4.0, 30.0, 60.0, 1e3, 1e5, 1e9, 1e150})
    for (const Index d : {1, 2, 3, 10})
      for (const auto& law : {measure::sphere(d, 2), measure::ball(d, 2), measure::cube(d, 2),
                              measure::rademacher(d)}) {
        CAPTURE(a);
        CAPTURE(d);
        CAPTURE(law->kind());
        const measure::FiniteConstants found =
            measure::constants(*law, Vector::Constant(d, a), Matrix::Identity(d, d));
        if (std::isfinite(found.output)) {  // e^{Lambda(2 a) - 2 Lambda(a)} leaves the range
          CHECK(found.output >= 0);
          CHECK(found.covariance >= 0);
        }
        CHECK(law->tilt(Vector::Constant(d, a)).covariance.diagonal().minCoeff() >= 0);
      }
}

TEST_CASE("small arguments keep their digits") {
  for (const double a : {1e-3, 1e-10, 1e-150, 1e-310}) {
    CAPTURE(a);
    CHECK(close(measure::rademacher(1)->tilt(one(a)).mean(0), std::tanh(a), 4e-16, 0));
    CHECK(close(measure::ball(1, 2)->tilt(one(a)).covariance(0, 0), 4.0 / 3, 1e-6, 0));
  }
}

TEST_CASE("the sphere in three dimensions has its curvature in closed form") {
  // On the sphere of R^3: L(k) = coth k - 1 / k, L' = 1 / k^2 - csch^2 k.
  for (const double k : {.1, 1.0, 10.0, 100.0, 400.0, 600.0, 1e4, 1e6, 1e9}) {
    CAPTURE(k);
    const Matrix covariance =
        measure::sphere(3, 1)->tilt((Vector(3) << k, 0, 0).finished()).covariance;
    const double csch = k < 300 ? 1 / std::sinh(k) : 0;
    const double slope =
        k < .5 ? 1 / 3. - k * k / 15 + 2 * k * k * k * k / 189 : 1 / (k * k) - csch * csch;
    CHECK(close(covariance(0, 0), slope, 1e-7, 0));
  }
}

TEST_CASE("a tilt about a centre is the tilt less the centre") {
  const Vector a = (Vector(3) << .3, -1.2, 2).finished();
  const Vector centre = (Vector(3) << 1, .5, -.25).finished();
  const Matrix tokens = (Matrix(4, 3) << 1, 2, 3, 0, -1, 1, 2, 2, 0, -1, 0, 1).finished();
  std::vector<std::unique_ptr<measure::Measure>> laws;
  laws.push_back(measure::gaussian(centre * 2, Matrix::Identity(3, 3)));
  laws.push_back(measure::empirical(tokens, Vector()));
  laws.push_back(measure::rademacher(3));
  laws.push_back(measure::cube(3, 40));
  laws.push_back(measure::sphere(3, 2));
  laws.push_back(measure::ball(3, 9));
  laws.push_back(measure::laplace(3, .4));
  laws.push_back(mixture_of(measure::cube(3, 1), measure::empirical(tokens, Vector())));
  for (const auto& law : laws) {
    CAPTURE(law->kind());
    const measure::Tilted about = law->tilt_about(a, centre);
    const measure::Tilted plain = law->tilt(a);
    CHECK(close(about.log_partition, plain.log_partition - a.dot(centre), 1e-12, 1e-12));
    CHECK((about.mean + centre - plain.mean).norm() < 1e-12 * (1 + plain.mean.norm()));
    CHECK((about.covariance - plain.covariance).norm() < 1e-12 * (1 + plain.covariance.norm()));
  }
}

TEST_CASE("constants of a covariance keep their digits for a large a") {
  // The ends of their supports: 1 / (2 a^3) of the cube [-1, 1], which is also the ball of the
  // line; 2 / a - 3 / a^2 of the sphere and 1 / 3 - 1 / (3 a) of the ball in space.
  const auto covariance = [](const measure::Measure& law, double a) {
    const Index d = law.dimension();
    Vector query = Vector::Zero(d);
    query(0) = a;
    return measure::constants(law, query, Matrix::Identity(d, d)).covariance;
  };
  for (const double a : {1e6, 1e8}) {
    CAPTURE(a);
    CHECK(close(covariance(*measure::sphere(3, 1), a), 2 / a - 3 / (a * a), 1e-9, 0));
    CHECK(close(covariance(*measure::ball(3, 1), a), (1 - 1 / a) / 3, 1e-9, 0));
    CHECK(close(covariance(*measure::ball(1, 1), a), 1 / (2 * a * a * a), 1e-7, 0));
  }
  for (const double a : {1e-9, 1e-4, .3, 1.5, 30.0})
    CHECK(
        close(covariance(*measure::ball(1, 1), a), covariance(*measure::cube(1, 1), a), 1e-11, 0));
}

TEST_CASE("the constants of the exponential keep their digits far to the left") {
  // r = 1 / (1 - a): n E |m_n - m|^2 tends to r / 4, the bias to 1 / 4.
  const measure::FiniteConstants found =
      measure::constants(*measure::exponential(1), one(-1e10), unit());
  CHECK(close(found.output, 2.5e-11, 1e-9, 0));
  CHECK(close(found.bias(0), .25, 1e-9, 0));
}

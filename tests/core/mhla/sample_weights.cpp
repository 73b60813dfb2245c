#include "mhla/sample_weights.h"

#include <doctest/doctest.h>

#include <cmath>

#include "mhla/certificate.h"
#include "mhla/fit.h"
#include "mhla/random_data.h"

using namespace attnlab;
using namespace attnlab::mhla;

TEST_CASE("scaled weights keep their ratios, and the largest lies in [1, 4)") {
  for (const double size : {5e-324, 1e-162, 0.5, 1.0, 2.0, 3.0, 8.0, 1e100}) {
    CAPTURE(size);
    const Vector weights = (Vector(3) << size, 0, size / 2).finished();
    const Vector scaled = scaled_weights(weights);
    CHECK(scaled(0) >= 1);
    CHECK(scaled(0) < 4);
    CHECK(scaled(1) == 0);
    CHECK(scaled(2) / scaled(0) == weights(2) / weights(0));
    // Roots differ by a power of 2.
    const double factor = std::sqrt(scaled(0)) / std::sqrt(weights(0));
    CHECK(std::exp2(std::ilogb(factor)) == factor);
  }
  CHECK(scaled_weights(Vector()).size() == 0);
}

TEST_CASE("fits and certificates depend on the ratios of the weights alone, however small") {
  const Samples samples = last_samples(tests::gaussian_prompts(30, 3, 2, 4));
  const Matrix targets = tests::gaussian_prompts(30, 1, 2, 5).tokens;
  const Vector plain = Vector::LinSpaced(30, 1, 4);
  const auto fitted = [&](FitMethod method, double size) {
    FitOptions options;
    options.method = method;
    options.weights = size * plain;
    return fit(samples, targets, options).coefficients;
  };
  for (const auto method :
       {FitMethod::kCholesky, FitMethod::kTsqr, FitMethod::kSvd, FitMethod::kDual}) {
    CAPTURE(fit_method_name(method));
    const Matrix expected = fitted(method, 1);
    for (const double size : {1e-300, 1e-162, 1e95})
      CHECK((fitted(method, size) - expected).norm() <= 1e-9 * expected.norm());
  }
  const auto smallest = [&](double size) {
    CertificateOptions options;
    options.weights = size * plain;
    Certificate certificate(samples, options);
    while (!certificate.step()) {
    }
    return certificate.result().minimum_eigenvalue;
  };
  for (const double size : {1e-300, 1e-162, 1e95})
    CHECK(std::fabs(smallest(size) / smallest(1) - 1) < 1e-9);
}

TEST_CASE("equal targets vary by 0, whatever their mean rounds to") {
  const Matrix same = Matrix::Constant(3, 1, .1);
  CHECK(mhla::target_variance(same, Vector()) == 0);
  CHECK(mhla::target_variance(same, (Vector(3) << .3, .1, .2).finished()) == 0);
  // A target without weight takes no digits from the others.
  const Matrix outlier = (Matrix(3, 1) << 1e20, 1, 2).finished();
  CHECK(mhla::target_variance(outlier, (Vector(3) << 0, 1, 1).finished()) == .25);
}

#include <doctest/doctest.h>

#include "measure/grids.h"
#include "reference.h"

using namespace attnlab;
using attnlab::tests::close;
using attnlab::tests::to_matrix;
using attnlab::tests::to_vector;

TEST_CASE("every fixed case of the finite-n constants holds to 1e-12") {
  const auto& cases = tests::reference("large-prompt-finite_n_constants");
  const double tolerance = cases["tol"];
  for (const auto& entry : cases["cases"]) {
    const Vector a = to_vector(entry["a"]);
    const auto gaussian = measure::gaussian(Vector::Zero(a.size()), to_matrix(entry["Gamma"]));
    const auto found = measure::constants(*gaussian, a, to_matrix(entry["V"]));
    const auto& expected = entry["expected"];
    CHECK(close(found.output, expected["n_mse_out"], tolerance, tolerance));
    CHECK(close(found.covariance, expected["n_mse_cov"], tolerance, tolerance));
    CHECK(close(found.effective_sample_share, expected["ess_ratio"], tolerance, tolerance));
    const Vector bias = to_vector(expected["n_bias_mean"]);
    for (Index i = 0; i < a.size(); ++i)
      CHECK(close(found.bias(i), bias(i), tolerance, tolerance));
  }
}

TEST_CASE("the constants of a Gaussian do not depend on its mean, singular or not") {
  const Matrix singular = Matrix::Constant(2, 2, 1.0);
  const Vector a = (Vector(2) << 0.3, 0.2).finished();
  const Matrix V = Matrix::Identity(2, 2);
  const auto centred = measure::constants(*measure::gaussian(Vector::Zero(2), singular), a, V);
  const auto moved =
      measure::constants(*measure::gaussian((Vector(2) << 5, -3).finished(), singular), a, V);
  // q = (a_1 + a_2)^2 = 1/4, G a = (1/2, 1/2).
  CHECK(close(centred.output, std::exp(0.25) * 2.5, 1e-14, 0));
  CHECK(close(moved.output, centred.output, 1e-12, 0));
  CHECK(close(moved.covariance, centred.covariance, 1e-12, 0));
}

TEST_CASE("the constants of a discrete measure are those of enumerating its prompts") {
  // Two points: with n tokens the counts are binomial, so n E|m_n - m|^2 is a sum.
  const Matrix tokens = (Matrix(2, 1) << -1, 2).finished();
  const auto two = measure::empirical(tokens, Vector());
  const Vector a = Vector::Constant(1, 0.3);
  const measure::Tilted limit = two->tilt(a);
  const auto found = measure::constants(*two, a, Matrix::Identity(1, 1));
  const double ratio = std::exp(0.9);
  const auto enumerate = [&](int n) {
    double output = 0;
    double bias = 0;
    double covariance = 0;
    for (int k = 0; k <= n; ++k) {
      const double probability = std::exp(std::lgamma(n + 1.0) - std::lgamma(k + 1.0) -
                                          std::lgamma(n - k + 1.0) - n * std::log(2.0));
      const double p = k * ratio / (k * ratio + (n - k));
      const double gap = -1 + 3 * p - limit.mean(0);
      const double variance_gap = 9 * p * (1 - p) - limit.covariance(0, 0);
      output += probability * gap * gap;
      bias += probability * gap;
      covariance += probability * variance_gap * variance_gap;
    }
    return (Vector(3) << n * output, n * bias, n * covariance).finished();
  };
  // The next term is of order 1 / n: extrapolate it away.
  const Vector limit_of_n = 2 * enumerate(8000) - enumerate(4000);
  CHECK(close(found.output, limit_of_n(0), 1e-5, 0));
  CHECK(close(found.bias(0), limit_of_n(1), 1e-5, 0));
  CHECK(close(found.covariance, limit_of_n(2), 1e-5, 0));
}

TEST_CASE("the freezing exponent of a Gaussian is half of q") {
  const auto gaussian = measure::gaussian(Vector::Constant(3, 2.0), 2 * Matrix::Identity(3, 3));
  const Vector a = (Vector(3) << 1, -0.5, 0.25).finished();
  CHECK(close(measure::freezing_exponent(*gaussian, a), a.squaredNorm(), 1e-14, 0));
}

TEST_CASE("a Gaussian query is pushed forward to the law its draws have") {
  RandomStream random(2, 2);
  const Matrix root = random.gaussian_matrix(3, 3);
  const measure::GaussianLaw tokens{random.gaussian_vector(3), root * root.transpose()};
  const Matrix A = random.gaussian_matrix(3, 2);
  const Matrix V = random.gaussian_matrix(4, 3);
  const Matrix query_root = random.gaussian_matrix(2, 2);
  const measure::GaussianLaw queries{random.gaussian_vector(2),
                                     query_root * query_root.transpose()};
  const auto pushed = measure::push_forward(tokens, A, V, queries);
  // T is affine: the centre, and the columns of the covariance's root, go through attend.
  Matrix points(3, 2);
  points.row(0) = queries.mean.transpose();
  points.bottomRows(2) = query_root.transpose();
  points.bottomRows(2).rowwise() += queries.mean.transpose();
  const auto gaussian = measure::gaussian(tokens.mean, tokens.covariance);
  const Matrix images = measure::attend(*gaussian, A, V, points);
  CHECK(tests::largest_difference(pushed.mean, Vector(images.row(0).transpose())) < 1e-12);
  const Matrix image_root = (images.bottomRows(2).rowwise() - images.row(0)).transpose();
  CHECK(tests::largest_difference(pushed.covariance, Matrix(image_root * image_root.transpose())) <
        1e-11);
}

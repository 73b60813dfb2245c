#include "mhla/fewer_heads.h"

#include <doctest/doctest.h>
#include <Eigen/Cholesky>

#include "core/error.h"
#include "mhla/features.h"
#include "mhla/heads.h"
#include "mhla/parameters.h"
#include "mhla/random_data.h"
#include "reference.h"

using namespace attnlab;
using namespace attnlab::mhla;

TEST_CASE("packing heads is undone by unpacking, and the derivatives are those of differences") {
  const Heads heads = tests::gaussian_heads(2, 3, 4, 1);
  const HeadShape shape{2, 3, 4};
  const Vector x = pack(heads);
  CHECK(w_matrix(unpack(x, shape)) == w_matrix(heads));
  Matrix c;
  coefficients_of(x, shape, c);
  CHECK(tests::largest_difference(c, coefficients(heads)) < 1e-15);
  RandomStream random(2, 2);
  const Matrix slope = random.gaussian_matrix(3, feature_count(4));
  Vector gradient;
  pull_back(x, shape, slope, gradient);
  const Eigen::MatrixXd jacobian = coefficient_jacobian(x, shape);
  for (Index i = 0; i < x.size(); ++i) {
    // p is quadratic, so central differences are exact up to rounding.
    Vector up = x, down = x;
    up(i) += 0.5;
    down(i) -= 0.5;
    Matrix high, low;
    coefficients_of(up, shape, high);
    coefficients_of(down, shape, low);
    const Matrix difference = high - low;
    CHECK(tests::close(gradient(i), difference.cwiseProduct(slope).sum(), 1e-12, 1e-13));
    CHECK(
        (jacobian.col(i) - Eigen::Map<const Eigen::VectorXd>(difference.data(), difference.size()))
            .norm() < 1e-13);
  }
}

TEST_CASE("general functions need 2, 4 and 7 heads at d = 2, 3, 4 and one head fewer fails") {
  struct Expected {
    Index d, heads;
    double fails_above;
  };
  for (const Expected& expected :
       {Expected{2, 2, 0.1}, Expected{3, 4, 0.03}, Expected{4, 7, 2e-3}}) {
    RandomStream random(3, static_cast<std::uint64_t>(expected.d));
    const Matrix c = random.gaussian_matrix(expected.d, feature_count(expected.d));
    CHECK(smallest_general_head_count(expected.d) == expected.heads);
    FewerHeads enough(c, expected.d, expected.heads, Matrix(), 4, 5);
    while (!enough.step()) {
    }
    CHECK(enough.relative_error() < 1e-12);
    CHECK((coefficients(enough.heads()) - c).norm() < 2e-12 * c.norm());
    FewerHeads few(c, expected.d, expected.heads - 1, Matrix(), expected.d == 4 ? 1 : 4, 5);
    while (!few.step()) {
    }
    CHECK(few.relative_error() > expected.fails_above);
  }
}

TEST_CASE("a single-head truth is found again, up to the scale between V and Q") {
  const Heads truth = tests::gaussian_heads(1, 4, 4, 6);
  FewerHeads one(coefficients(truth), 4, 1, Matrix(), 6, 7);
  while (!one.step()) {
  }
  CHECK(one.relative_error() < 1e-12);
  const Head found = one.heads()[0];
  const double ratio = truth[0].value.norm() / found.value.norm();
  const double sign = truth[0].value.cwiseProduct(found.value).sum() > 0 ? 1 : -1;
  CHECK((sign * ratio * found.value - truth[0].value).norm() < 1e-11);
  CHECK((sign / ratio * found.query - truth[0].query).norm() < 1e-11);
}

TEST_CASE("with R the error is the training loss beyond least squares") {
  const Samples samples = last_samples(tests::gaussian_prompts(200, 4, 2, 8));
  const Matrix f = features(samples);
  const Matrix c = coefficients(tests::gaussian_heads(4, 2, 2, 9));
  const Eigen::MatrixXd gram = f.transpose() * f / 200;
  const Matrix r = gram.llt().matrixU();
  FewerHeads one(c, 2, 1, r, 3, 10);
  while (!one.step()) {
  }
  const Matrix error = (coefficients(one.heads()) - c) * f.transpose();
  const Matrix whole = c * f.transpose();
  CHECK(tests::close(one.relative_error(), error.norm() / whole.norm(), 1e-9, 0));
  CHECK_THROWS_AS(FewerHeads(Matrix::Zero(12, feature_count(12)), 12, 4, Matrix(), 1, 1), Error);
}

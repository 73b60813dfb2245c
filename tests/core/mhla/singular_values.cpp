#include "mhla/singular_values.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace attnlab;
using namespace attnlab::mhla;

TEST_CASE("singular values are found at any size, also where their squares are no doubles") {
  // A = U diag(3, 2) V^T with rotations by 0.4 and 0.7.
  const auto rotation = [](double by) {
    return (Eigen::Matrix2d() << std::cos(by), -std::sin(by), std::sin(by), std::cos(by))
        .finished();
  };
  const Eigen::MatrixXd matrix =
      rotation(0.4) * Eigen::Vector2d(3, 2).asDiagonal() * rotation(0.7).transpose();
  for (const double size : {1.0, 1e-300, 1e-170, 1e170, 1e300}) {
    CAPTURE(size);
    SingularValues search(size * matrix);
    while (!search.step()) {
    }
    CHECK(std::fabs(search.values()(0) / (3 * size) - 1) < 1e-13);
    CHECK(std::fabs(search.values()(1) / (2 * size) - 1) < 1e-13);
    const double cosine = std::fabs(search.vectors().col(0).dot(rotation(0.7).col(0)));
    CHECK(std::fabs(cosine - 1) < 1e-13);
  }
}

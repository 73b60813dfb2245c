#include "core/magnitude.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "core/random.h"
#include "core/require.h"

using namespace attnlab;

namespace {

template <class Scalar>
MatrixOf<Scalar> drawn(Index rows, Index columns, std::uint64_t seed) {
  RandomStream stream(seed, 0);
  MatrixOf<Scalar> matrix(rows, columns);
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < columns; ++j)
      matrix(i, j) = static_cast<Scalar>(2 * stream.uniform() - 1);
  return matrix;
}

template <class Scalar>
void check_sizes() {
  for (const Index rows : {1, 2, 3, 65}) {
    for (const Index columns : {1, 3, 4, 5, 8, 17, 130}) {
      const MatrixOf<Scalar> matrix = drawn<Scalar>(rows, columns, 7);
      CHECK(largest_magnitude<Scalar>(matrix) == matrix.cwiseAbs().maxCoeff());
      const auto by_column = largest_magnitudes_by_column<Scalar>(matrix);
      for (Index j = 0; j < columns; ++j)
        CHECK(by_column[static_cast<std::size_t>(j)] == matrix.col(j).cwiseAbs().maxCoeff());
    }
  }
  const MatrixOf<Scalar> none(0, 3);
  CHECK(largest_magnitude<Scalar>(none) == 0);
  // Rows apart from each other: what lies between them is not looked at.
  MatrixOf<Scalar> wide = drawn<Scalar>(9, 11, 8);
  wide.col(10).setConstant(std::numeric_limits<Scalar>::quiet_NaN());
  CHECK(largest_magnitude<Scalar>(wide.leftCols(10)) == wide.leftCols(10).cwiseAbs().maxCoeff());
  CHECK(largest_magnitudes_by_column<Scalar>(wide.leftCols(7)).size() == 7);
}

// Wherever the entry stands, it is found and told.
template <class Scalar>
void check_not_finite() {
  constexpr Scalar kInfinity = std::numeric_limits<Scalar>::infinity();
  for (const Scalar entry : {kInfinity, -kInfinity, std::numeric_limits<Scalar>::quiet_NaN()}) {
    for (const Index columns : {1, 5, 8}) {
      for (Index at = 0; at < 3 * columns; ++at) {
        MatrixOf<Scalar> matrix = drawn<Scalar>(3, columns, 9);
        matrix(at / columns, at % columns) = entry;
        CHECK(!std::isfinite(largest_magnitude<Scalar>(matrix)));
        const std::string place =
            "row " + std::to_string(at / columns) + ", column " + std::to_string(at % columns);
        CHECK_THROWS_WITH_AS(require_finite(matrix, "m"), doctest::Contains(place.c_str()), Error);
      }
    }
  }
  MatrixOf<Scalar> long_one = drawn<Scalar>(3, 5000, 10);
  long_one(2, 4999) = std::numeric_limits<Scalar>::quiet_NaN();
  CHECK(!std::isfinite(largest_magnitude<Scalar>(long_one)));
  long_one(2, 4999) = std::numeric_limits<Scalar>::max();
  CHECK(largest_magnitude<Scalar>(long_one) == std::numeric_limits<Scalar>::max());
}

}  // namespace

TEST_CASE("the largest entry is found at every size, also between rows apart") {
  check_sizes<float>();
  check_sizes<double>();
}

TEST_CASE("an entry that is not finite is found wherever it stands") {
  check_not_finite<float>();
  check_not_finite<double>();
  for (Index at = 0; at < 7; ++at) {
    Vector vector = Vector::Ones(7);
    vector(at) = -std::numeric_limits<double>::infinity();
    const std::string place = "entry " + std::to_string(at);
    CHECK_THROWS_WITH_AS(require_finite_vector(vector, "v"), doctest::Contains(place.c_str()),
                         Error);
  }
}

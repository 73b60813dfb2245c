#include "measure/psd_factor.h"

#include <doctest/doctest.h>

#include "core/random.h"
#include "reference.h"

using namespace attnlab;
using attnlab::tests::largest_difference;

TEST_CASE("a covariance of every rank is its factor times the factor's transpose") {
  RandomStream random(1, 7);
  for (Index rank = 0; rank <= 6; ++rank) {
    const Matrix root = random.gaussian_matrix(6, rank);
    const Matrix covariance = root * root.transpose();
    const Matrix factor = measure::psd_factor(covariance, "covariance");
    CHECK(factor.cols() == rank);
    CHECK(largest_difference(Matrix(factor * factor.transpose()), covariance) < 1e-13);
  }
}

#include "attention/performer.h"

#include <doctest/doctest.h>

#include <cmath>

#include "core/error.h"
#include "core/special.h"
#include "reference.h"

using namespace attnlab;
using attnlab::tests::largest_difference;

TEST_CASE("directions are orthogonal within a block and as long as normal vectors") {
  RandomStream random(1, 6);
  const Matrix directions = attention::orthogonal_directions(10, 4, random);
  const Matrix block = directions.middleRows(4, 4);
  Matrix products = block * block.transpose();
  products.diagonal().setZero();
  CHECK(products.cwiseAbs().maxCoeff() < 1e-13);
  RandomStream many(2, 6);
  const Matrix large = attention::orthogonal_directions(4000, 4, many);
  // E |w|^2 = 4, variance 8.
  const double mean = large.rowwise().squaredNorm().mean();
  CHECK(std::fabs(mean - 4) < 4 * std::sqrt(8.0 / 4000));
}

TEST_CASE("many features come near to softmax attention, and ever nearer") {
  RandomStream random(3, 6);
  const Matrix keys = 0.7 * random.gaussian_matrix(20, 3);
  const Matrix values = random.gaussian_matrix(20, 2);
  const Matrix queries = 0.7 * random.gaussian_matrix(3, 3);
  Matrix expected(3, 2);
  for (Index i = 0; i < 3; ++i)
    expected.row(i) =
        softmax(Vector(0.8 * (keys * queries.row(i).transpose()))).transpose() * values;
  const auto gap = [&](Index features) {
    double total = 0;
    for (std::uint64_t draw = 0; draw < 8; ++draw) {
      RandomStream stream(4, draw);
      const Matrix directions = attention::orthogonal_directions(features, 3, stream);
      const Matrix output = attention::performer_attention(queries, keys, values, 0.8, directions);
      total += (output - expected).squaredNorm();
    }
    return std::sqrt(total / 8);
  };
  // 1 / sqrt(F): sixteen times the features, a quarter of the error (within a factor 2).
  const double coarse = gap(64);
  const double fine = gap(1024);
  CHECK(fine < 0.5 * coarse);
  CHECK(fine > 0.125 * coarse);
  CHECK(fine < 0.05);
}

TEST_CASE("large scores do not overflow the features") {
  const Matrix keys = (Matrix(2, 1) << 100, -100).finished();
  RandomStream random(5, 6);
  const Matrix directions = attention::orthogonal_directions(16, 1, random);
  const Matrix output = attention::performer_attention(keys, keys, keys, 1, directions);
  CHECK(output.allFinite());
  CHECK_THROWS_AS(attention::performer_attention(keys, keys, keys, -1, directions), Error);
}

TEST_CASE("directions without dimensions are as many as asked for, and at once") {
  RandomStream random(1, 2);
  const Matrix directions = attention::orthogonal_directions(5, 0, random);
  CHECK(directions.rows() == 5);
  CHECK(directions.cols() == 0);
}

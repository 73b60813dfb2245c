#include "attention/linformer.h"

#include <doctest/doctest.h>

#include <cmath>

#include "core/error.h"
#include "core/random.h"
#include "core/special.h"
#include "reference.h"

using namespace attnlab;
using attention::LinformerProjection;
using attnlab::tests::largest_difference;

namespace {

Matrix full(const Matrix& queries, const Matrix& keys, const Matrix& values, double scale) {
  Matrix output(queries.rows(), values.cols());
  for (Index i = 0; i < queries.rows(); ++i)
    output.row(i) =
        softmax(Vector(scale * (keys * queries.row(i).transpose()))).transpose() * values;
  return output;
}

}  // namespace

TEST_CASE("pooling to all tokens, and pooling runs of equal tokens, is softmax attention") {
  RandomStream random(1, 8);
  const Matrix keys = random.gaussian_matrix(6, 3);
  const Matrix values = random.gaussian_matrix(6, 2);
  const Matrix queries = random.gaussian_matrix(2, 3);
  const Matrix expected = full(queries, keys, values, 0.5);
  CHECK(largest_difference(attention::linformer_attention(queries, keys, values, 0.5, 6,
                                                          LinformerProjection::kPool, 0),
                           expected) < 1e-14);
  Matrix doubled_keys(12, 3);
  Matrix doubled_values(12, 2);
  for (Index j = 0; j < 12; ++j) {
    doubled_keys.row(j) = keys.row(j / 2);
    doubled_values.row(j) = values.row(j / 2);
  }
  CHECK(largest_difference(attention::linformer_attention(queries, doubled_keys, doubled_values,
                                                          0.5, 6, LinformerProjection::kPool, 0),
                           expected) < 1e-14);
}

TEST_CASE("the random projection keeps inner products of keys and values on average") {
  // With query 0 the output is the plain mean over projected values: mean 0, variance
  // |values|^2 / r^2 over the draws.
  const Matrix values = (Matrix(3, 1) << 1, -2, 2).finished();
  const Matrix keys = Matrix::Ones(3, 1);
  const Matrix query = Matrix::Zero(1, 1);
  double square = 0;
  constexpr int kDraws = 2000;
  for (int seed = 0; seed < kDraws; ++seed) {
    const double output =
        attention::linformer_attention(query, keys, values, 1, 4, LinformerProjection::kRandom,
                                       static_cast<std::uint64_t>(seed))(0, 0);
    square += output * output / kDraws;
  }
  const double expected = 9.0 / 16;
  CHECK(std::fabs(square - expected) < 4 * expected * std::sqrt(2.0 / kDraws));
}

TEST_CASE("more pools than tokens are refused by name") {
  const Matrix one = Matrix::Ones(2, 1);
  try {
    attention::linformer_attention(one, one, one, 1, 3, LinformerProjection::kPool, 0);
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.parameter() == "rank");
  }
}

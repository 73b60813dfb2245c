#include "attention/linear_limit.h"

#include <doctest/doctest.h>

#include "core/random.h"
#include "core/special.h"
#include "reference.h"

using namespace attnlab;
using attnlab::tests::largest_difference;

TEST_CASE("the linear surrogate is the first order of softmax attention in the scores") {
  RandomStream random(1, 5);
  const Matrix keys = random.gaussian_matrix(30, 3);
  const Matrix values = random.gaussian_matrix(30, 2);
  const Matrix queries = random.gaussian_matrix(2, 3);
  const auto gap = [&](double scale) {
    Matrix softmax_output(2, 2);
    for (Index i = 0; i < 2; ++i)
      softmax_output.row(i) =
          softmax(Vector(scale * (keys * queries.row(i).transpose()))).transpose() * values;
    return largest_difference(attention::linear_limit(queries, keys, values, scale),
                              softmax_output);
  };
  CHECK(gap(0) < 1e-15);
  // Second order: halving the scale divides the gap by four.
  CHECK(gap(1e-3) / gap(5e-4) > 3.9);
  CHECK(gap(1e-3) / gap(5e-4) < 4.1);
}

TEST_CASE("values that are the keys get mean plus covariance times query") {
  const Matrix keys = (Matrix(4, 2) << 1, 1, -1, 1, 0, 3, 0, -1).finished();
  const Matrix query = (Matrix(1, 2) << 2, 5).finished();
  // Mean (0, 1), covariance diag(1/2, 2).
  const Matrix expected = (Matrix(1, 2) << 0.5 * 2 * 0.1, 1 + 2 * 5 * 0.1).finished();
  CHECK(largest_difference(attention::linear_limit(query, keys, keys, 0.1), expected) < 1e-15);
}

#include "mhla/heads.h"

#include <doctest/doctest.h>

#include "core/error.h"
#include "mhla/parameters.h"
#include "mhla/random_data.h"
#include "reference.h"

using namespace attnlab;
using namespace attnlab::mhla;

TEST_CASE("heads to W and back is the same W to rounding") {
  for (const Index outputs : {1, 3, 5}) {
    const Heads heads = tests::gaussian_heads(2, outputs, 3, 90);
    const Matrix w = w_matrix(heads);
    const HeadSplit split = split_heads(w, 3);
    CHECK(split.heads.size() == 2);  // W itself has rank 2
    CHECK((w_matrix(split.heads) - w).norm() < 1e-14 * w.norm());
  }
}

TEST_CASE("a one-head truth has as many heads as its gauge allows: 16 symmetric, 10 one-sided") {
  const Matrix c = coefficients(tests::gaussian_heads(1, 4, 4, 91));
  CHECK(split_heads(symmetric_w(c, 4), 4).heads.size() == 16);
  CHECK(split_heads(one_sided_w(c, 4), 4).heads.size() == 10);
}

TEST_CASE("the largest head is never below its own share") {
  const Matrix w = w_matrix(tests::gaussian_heads(2, 1, 3, 90));
  CHECK(w_matrix(split_heads(w, 3, 1).heads).norm() > 0.5 * w.norm());
  CHECK(split_heads(w, 3, 1).heads.size() == 1);
}

TEST_CASE("a zero W is one zero head") {
  const HeadSplit split = split_heads(Matrix::Zero(2, 4), 2);
  CHECK(split.heads.size() == 1);
  CHECK(split.heads[0].value == Matrix::Zero(1, 2));
}

TEST_CASE("the least general head count follows from counting parameters") {
  const Index expected[][2] = {{2, 2},  {3, 4},  {4, 7},  {5, 10}, {6, 13},
                               {7, 17}, {8, 22}, {9, 27}, {10, 33}};
  for (const auto& [d, r] : expected)
    CHECK(smallest_general_head_count(d) == r);
}

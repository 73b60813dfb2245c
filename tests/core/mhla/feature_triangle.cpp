#include "mhla/feature_triangle.h"

#include <doctest/doctest.h>

#include "mhla/random_data.h"
#include "reference.h"

using namespace attnlab;
using namespace attnlab::mhla;

TEST_CASE("the triangle is a root of the features' second moment, also with few samples") {
  for (const Index count : {5, 300}) {
    const Samples samples = last_samples(tests::gaussian_prompts(count, 4, 3, 1));
    const Matrix f = features(samples);
    const Matrix r = feature_triangle(samples);
    const Matrix expected = f.transpose() * f / static_cast<double>(count);
    CHECK(tests::largest_difference(r.transpose() * r, expected) < 1e-13 * expected.norm());
    for (Index i = 0; i < r.rows(); ++i)
      for (Index j = 0; j < i; ++j)
        CHECK(r(i, j) == 0);
  }
}

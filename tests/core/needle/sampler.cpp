#include "needle/sampler.h"

#include <doctest/doctest.h>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "needle/data_set.h"
#include "reference.h"

using namespace attnlab;
using namespace attnlab::needle;
using attnlab::tests::close;

namespace {
constexpr double kInfinity = std::numeric_limits<double>::infinity();
}

TEST_CASE("the teacher's vectors have norm sqrt(D) and are orthogonal") {
  RandomStream random(1, 1);
  const Teacher teacher = draw_teacher(50, random);
  CHECK(close(teacher.key.squaredNorm(), 50, 1e-13, 0));
  CHECK(close(teacher.value.squaredNorm(), 50, 1e-13, 0));
  CHECK(close(teacher.key.dot(teacher.value), 0, 0, 1e-12));
  CHECK_THROWS_AS(draw_teacher(1, random), Error);
}

TEST_CASE("spiked prompts shift the needle's score by sqrt(nu) and nothing else") {
  RandomStream random(2, 1);
  const Teacher teacher = draw_teacher(12, random);
  const Problem problem{Model::kSpiked, 4, {3, 3}, 0.5};
  const Index samples = 20000;
  const DataSet data = draw_data_set(problem, teacher, samples, random);
  const Vector scores = data.tokens * teacher.key / std::sqrt(12.0);
  double at_needle = 0, elsewhere = 0, first = 0, residual = 0;
  for (Index n = 0; n < samples; ++n) {
    const Index needle = data.needles[static_cast<std::size_t>(n)];
    for (Index l = 0; l < 3; ++l)
      (l == needle ? at_needle : elsewhere) += scores[3 * n + l];
    first += needle == 0 ? 1 : 0;
    const double clean = data.tokens.row(3 * n + needle).dot(teacher.value) / std::sqrt(12.0);
    residual += (data.labels[n] - clean) * (data.labels[n] - clean);
  }
  const auto count = static_cast<double>(samples);
  CHECK(close(at_needle / count, 2, 0, 4 / std::sqrt(count)));
  CHECK(close(elsewhere / count, 0, 0, 4 * std::sqrt(2 / count)));
  CHECK(close(first / count, 1.0 / 3, 0, 4 * std::sqrt(2.0 / 9 / count)));
  CHECK(close(residual / count, 0.25, 0, 4 * 0.25 * std::sqrt(2 / count)));
}

TEST_CASE("with nu = Infinity the needle has the largest score") {
  RandomStream random(3, 1);
  const Teacher teacher = draw_teacher(7, random);
  const DataSet data = draw_data_set({Model::kMax, kInfinity, {4, 4}, 0}, teacher, 500, random);
  const Vector scores = data.tokens * teacher.key;
  for (Index n = 0; n < 500; ++n) {
    Index largest = 0;
    scores.segment(4 * n, 4).maxCoeff(&largest);
    CHECK(largest == data.needles[static_cast<std::size_t>(n)]);
  }
}

TEST_CASE("with finite nu the needle follows softmax(nu chi)") {
  RandomStream random(4, 1);
  const Teacher teacher = draw_teacher(5, random);
  const Problem problem{Model::kMax, 1.5, {3, 3}, 0};
  const Index samples = 20000;
  const DataSet data = draw_data_set(problem, teacher, samples, random);
  const Vector scores = data.tokens * teacher.key / std::sqrt(5.0);
  double chosen = 0, expected = 0;
  for (Index n = 0; n < samples; ++n) {
    const Vector posterior = (1.5 * scores.segment(3 * n, 3)).array().exp();
    expected += posterior[0] / posterior.sum();
    chosen += data.needles[static_cast<std::size_t>(n)] == 0 ? 1 : 0;
  }
  CHECK(close(chosen, expected, 0, 4 * std::sqrt(0.22 * static_cast<double>(samples))));
}

TEST_CASE("random lengths are uniform on their range") {
  RandomStream random(5, 1);
  const Teacher teacher = draw_teacher(3, random);
  const Problem problem{Model::kMax, kInfinity, {1, 3}, 0};
  Matrix tokens(3, 3);
  Vector scratch(3);
  double counts[4] = {};
  for (int n = 0; n < 9000; ++n) {
    const Sample sample = draw_sample(problem, teacher, random, tokens.data(), scratch.data());
    REQUIRE(sample.length >= 1);
    REQUIRE(sample.length <= 3);
    REQUIRE(sample.needle < sample.length);
    counts[sample.length] += 1;
  }
  for (const int length : {1, 2, 3})
    CHECK(close(counts[length], 3000, 0, 4 * std::sqrt(2000.0)));
}

TEST_CASE("data sets that cannot be held or have no one length are refused") {
  const Problem problem{Model::kSpiked, 1, {3, 3}, 0};
  CHECK_THROWS_WITH_AS(plan_data_set(problem, 1e5, 100), doctest::Contains("MiB"), Error);
  CHECK_THROWS_WITH_AS(plan_data_set(problem, -1, 100), doctest::Contains("ratio"), Error);
  CHECK_THROWS_WITH_AS(plan_data_set(problem, 1, 1), doctest::Contains("dimension"), Error);
  CHECK_THROWS_AS(plan_data_set({Model::kSpiked, 1, {1, 3}, 0}, 1, 100), Error);
}

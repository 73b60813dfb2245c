#include "mhla/features.h"

#include <doctest/doctest.h>

#include <limits>

#include "core/error.h"
#include "mhla/cases.h"
#include "mhla/feature_moments.h"
#include "mhla/kernel.h"
#include "mhla/parameters.h"
#include "mhla/random_data.h"

using namespace attnlab;
using namespace attnlab::mhla;

TEST_CASE("features, coefficients, W and the kernel of the whole-number case are exact") {
  const auto& data = tests::reference("mhla-features_d2");
  const Heads heads = tests::case_heads(data["V"], data["Q"]);
  const Samples samples = tests::case_samples(nlohmann::json::array({data["Z"]}));
  CHECK(features(samples) == tests::to_vector(data["H"]).transpose());
  CHECK(w_matrix(heads) == tests::to_matrix(data["W"]));
  CHECK(coefficients(heads) == tests::to_matrix(data["p"]));
  CHECK(coefficients(w_matrix(heads), 2) == tests::to_matrix(data["p"]));
  CHECK(symmetric_w(coefficients(heads), 2) == tests::to_matrix(data["W_minnorm"]));
  CHECK(kernel(samples, 0, samples, 0) == data["kernel_self"].get<double>());
}

TEST_CASE("the number of features is d^2 (d + 1) / 2") {
  const Index expected[][2] = {{1, 1},  {2, 6},   {3, 18},  {4, 40},
                               {5, 75}, {6, 126}, {8, 288}, {10, 550}};
  for (const auto& [d, psi] : expected)
    CHECK(feature_count(d) == psi);
}

TEST_CASE("a feature's name is the product it holds") {
  RandomStream random(3, 3);
  for (Index d = 1; d <= 5; ++d) {
    const Prompts prompts = equal_prompts(random.gaussian_matrix(4, d), 4);
    const Matrix h = features(last_samples(prompts));
    const Matrix gram = prompts.tokens.transpose() * prompts.tokens;
    for (Index f = 0; f < feature_count(d); ++f) {
      const FeatureName name = feature_name(d, f);
      CHECK(name.j <= name.k);
      CHECK(pair_index(d, name.j, name.k) * d + name.l == f);
      CHECK(pair_index(d, name.k, name.j) * d + name.l == f);
      CHECK(tests::close(h(0, f), gram(name.j, name.k) * prompts.tokens(3, name.l), 1e-13, 1e-14));
    }
  }
  CHECK(feature_text(2, 0) == "⟨z_1, z_2⟩ z_1");
  CHECK(feature_text(2, 5) == "‖z_2‖² z_2");
}

TEST_CASE("the output is the coefficients times the features, in all three readings") {
  const Prompts prompts = tests::gaussian_prompts(3, 5, 4, 8);
  const Heads heads = tests::gaussian_heads(3, 2, 4, 9);
  const Matrix c = coefficients(heads);
  const Matrix last = features(last_samples(prompts)) * c.transpose();
  const Matrix full = features(full_samples(prompts)) * c.transpose();
  const Matrix prefix = features(prefix_samples(prompts)) * c.transpose();
  for (Index i = 0; i < 3; ++i) {
    const MatrixRef prompt = prompts.prompt(i);
    CHECK(tests::largest_difference(last.row(i), apply(heads, prompt, OutputMode::kLast)) < 1e-12);
    CHECK(tests::largest_difference(full.middleRows(5 * i, 5),
                                    apply(heads, prompt, OutputMode::kFull)) < 1e-12);
    CHECK(tests::largest_difference(prefix.middleRows(5 * i, 5),
                                    apply(heads, prompt, OutputMode::kPrefix)) < 1e-12);
  }
}

TEST_CASE("both gauges of W give the same coefficients and the symmetric one is smaller") {
  RandomStream random(4, 4);
  const Matrix c = random.gaussian_matrix(3, feature_count(4));
  const Matrix symmetric = symmetric_w(c, 4);
  const Matrix one_sided = one_sided_w(c, 4);
  CHECK(tests::largest_difference(coefficients(symmetric, 4), c) == 0);
  CHECK(tests::largest_difference(coefficients(one_sided, 4), c) == 0);
  CHECK(symmetric.squaredNorm() < one_sided.squaredNorm());
  double expected = 0;
  const Vector weights = gauge_weights(4);
  for (Index a = 0; a < 3; ++a)
    expected += c.row(a).cwiseAbs2().dot(weights);
  CHECK(tests::close(symmetric.squaredNorm(), expected, 1e-14, 0));
}

TEST_CASE("the streamed moments are the Gram matrix of the features") {
  for (const Index d : {1, 2, 3, 5}) {
    const Prompts prompts = tests::gaussian_prompts(150, 3, d, 10);
    const Samples samples = last_samples(prompts);
    RandomStream random(11, 11);
    const Matrix y = random.gaussian_matrix(150, 2);
    const Vector w = random.gaussian_vector(150).cwiseAbs();
    FeatureMoments moments(d, 2);
    moments.add(samples, y, w, 0, 70);
    moments.add(samples, y, w, 70, 80);
    const Matrix f = features(samples);
    const Matrix gram = f.transpose() * w.asDiagonal() * f;
    const Matrix cross = f.transpose() * w.asDiagonal() * y;
    CHECK(tests::largest_difference(Matrix(moments.gram()), gram) < 1e-14 * gram.norm());
    CHECK(tests::largest_difference(Matrix(moments.cross()), cross) < 1e-14 * gram.norm());
  }
}

TEST_CASE("prompts that cannot be read are refused by name") {
  const auto message = [](const std::vector<Matrix>& prompts) -> std::string {
    try {
      join_prompts(prompts);
    } catch (const Error& error) {
      return std::string(error_code_name(error.code())) + " " + error.parameter();
    }
    return "";
  };
  const Matrix good = Matrix::Ones(2, 3);
  CHECK(message({}) == "missing prompts");
  CHECK(message({good, Matrix(0, 3)}) == "shape prompts[1]");
  CHECK(message({good, Matrix::Ones(2, 2)}) == "shape prompts[1]");
  CHECK(message({Matrix(2, 0)}) == "shape prompts");
  Matrix bad = good;
  bad(1, 2) = std::numeric_limits<double>::quiet_NaN();
  CHECK(message({good, bad}) == "not-finite prompts[1]");
  bad(1, 2) = 1e60;
  CHECK(message({bad}) == "out-of-range prompts[0]");
}

#include "mhla/associative_memory.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "core/error.h"
#include "mhla/certificate.h"
#include "mhla/features.h"
#include "mhla/fit.h"
#include "mhla/model.h"
#include "mhla/parameters.h"
#include "reference.h"

using namespace attnlab;
using namespace attnlab::mhla;

namespace {

MemoryPrompts draw(const MemoryOptions& options, Index count, std::uint64_t seed = 1) {
  RandomStream stream(seed, 1);
  return draw_memory_prompts(options, count, stream);
}

Index rank(const MemoryOptions& options, Index count) {
  Certificate certificate(last_samples(draw(options, count).prompts));
  while (!certificate.step()) {
  }
  return certificate.result().rank;
}

MemoryOptions square(Index d) {
  MemoryOptions options;
  options.key_dimension = options.pairs = d;
  return options;
}

}  // namespace

TEST_CASE("the fixed prompt gives back its value plus what stood in the query token") {
  const auto& fixed = tests::reference("mhla-assoc_forward_d2");
  const Matrix prompt = tests::to_matrix(fixed["Z"]).transpose();
  const Heads heads = memory_heads(2);
  CHECK(tests::largest_difference(heads[0].value, tests::to_matrix(fixed["V"][0])) == 0);
  CHECK(tests::largest_difference(heads[0].query, tests::to_matrix(fixed["Q"][0])) == 0);
  const Vector y = apply(heads, prompt, OutputMode::kLast).row(0).transpose();
  CHECK(tests::largest_relative_difference(y, tests::to_vector(fixed["y"])) < 1e-15);
  CHECK(tests::largest_relative_difference(memory_targets(equal_prompts(prompt, 3)).transpose(),
                                           tests::to_vector(fixed["y"])) < 1e-15);
  CHECK(tests::largest_difference(y.tail(2), tests::to_vector(fixed["selected_value"]) +
                                                 tests::to_vector(fixed["zeta"])) < 1e-15);
}

TEST_CASE("the fixed orthogonal prompts determine 36 of 40 features") {
  const auto& fixed = tests::reference("mhla-cert_assoc_unitary_d2");
  std::vector<Matrix> prompts;
  for (const auto& prompt : fixed["Z"])
    prompts.push_back(tests::to_matrix(prompt).transpose());
  Certificate certificate(last_samples(join_prompts(prompts)));
  while (!certificate.step()) {
  }
  CHECK(certificate.result().rank == 36);
  CHECK(certificate.result().dimension == 40);
  CHECK(tests::close(certificate.result().maximum_eigenvalue, 590.0817313002386, 1e-9, 0));
}

TEST_CASE("orthogonal keys and values leave 2 d (d^2 - 1) / 3 features open, Gaussian ones none") {
  CHECK(rank(square(2), 400) == 36);
  CHECK(rank(square(3), 500) == 110);
  CHECK(rank(square(4), 700) == 248);
  MemoryOptions options = square(4);
  options.keys = options.values = Directions::kGaussian;
  CHECK(rank(options, 700) == 288);
  options.keys = Directions::kOrthogonal;
  CHECK(rank(options, 700) == 268);
  options.keys = Directions::kGaussian;
  options.values = Directions::kOrthogonal;
  CHECK(rank(options, 700) == 272);
  options = square(4);
  options.query_value = false;
  options.gaussian_share = 1;
  CHECK(rank(options, 700) == 144);
}

TEST_CASE("targets are what the one head answers, for all kinds of keys") {
  for (const Directions keys :
       {Directions::kOrthogonal, Directions::kGaussian, Directions::kUnit}) {
    MemoryOptions options = square(3);
    options.keys = keys;
    options.gaussian_share = 0.25;
    const MemoryPrompts data = draw(options, 20);
    const Matrix targets = memory_targets(data.prompts);
    CHECK(targets.leftCols(3).isZero(0));
    for (Index i = 0; i < 20; ++i) {
      const Matrix prompt = data.prompts.prompt(i);
      CHECK(tests::largest_relative_difference(apply(memory_heads(3), prompt, OutputMode::kLast),
                                               targets.row(i)) < 1e-14);
      CHECK(prompt.row(3).head(3) == prompt.row(data.asked[static_cast<std::size_t>(i)]).head(3));
    }
  }
}

TEST_CASE("a share of Gaussian prompts is met exactly and spread evenly") {
  MemoryOptions options = square(3);
  options.gaussian_share = 0.25;
  const MemoryPrompts data = draw(options, 40);
  for (Index i = 0; i < 40; ++i) {
    const Matrix keys = data.prompts.prompt(i).topLeftCorner(3, 3);
    const bool orthogonal =
        tests::largest_difference(keys * keys.transpose(), Matrix::Identity(3, 3)) < 1e-14;
    CHECK(orthogonal == (i % 4 != 3));
  }
}

TEST_CASE("random orthonormal rows are orthonormal and favour no direction") {
  RandomStream stream(4, 4);
  const Matrix rows = random_orthonormal(5, 9, stream);
  CHECK(tests::largest_difference(rows * rows.transpose(), Matrix::Identity(5, 5)) < 1e-15);
  // For Haar's measure on O(3), the trace has mean 0 and mean square 1, and so has each entry times
  // sqrt(3).
  double mean = 0, square_mean = 0, corner = 0;
  for (int round = 0; round < 4000; ++round) {
    const Matrix q = random_orthonormal(3, 3, stream);
    mean += q.trace() / 4000;
    square_mean += q.trace() * q.trace() / 4000;
    corner += q(2, 2) * q(2, 2) * 3 / 4000;
  }
  CHECK(std::fabs(mean) < 4 / std::sqrt(4000.0));
  CHECK(std::fabs(square_mean - 1) < 0.09);
  CHECK(std::fabs(corner - 1) < 0.06);
  CHECK_THROWS_AS(random_orthonormal(4, 3, stream), Error);
}

TEST_CASE("the weights of a retrieval are the inner products of keys, for equal functions too") {
  MemoryOptions options = square(3);
  options.keys = Directions::kGaussian;
  const Matrix prompt = draw(options, 1).prompts.prompt(0);
  const Vector expected = prompt.leftCols(3) * prompt.row(3).head(3).transpose();
  CHECK(tests::largest_relative_difference(retrieval_weights(memory_heads(3), prompt), expected) <
        1e-14);
  // Half of the head twice is the same function.
  Heads halves{memory_heads(3)[0], memory_heads(3)[0]};
  for (Head& head : halves)
    head.value /= 2;
  CHECK(tests::largest_relative_difference(retrieval_weights(halves, prompt), expected) < 1e-14);
  const Vector weights = softmax_retrieval_weights(prompt, 2);
  for (Index j = 0; j < 3; ++j)
    CHECK(
        tests::close(std::log(weights(j) / weights(0)), 2 * (expected(j) - expected(0)), 0, 1e-12));
  CHECK(tests::close(weights.sum(), 1, 0, 1e-15));
  CHECK(tests::close(softmax_retrieval_weights(1000 * prompt, 1).sum(), 1, 0, 1e-15));
}

TEST_CASE(
    "crosstalk between random keys is (m - 1) / d for unit and (m + 1) / d for Gaussian ones") {
  const Index d = 8, m = 12, rounds = 3000;
  for (const Directions keys : {Directions::kUnit, Directions::kGaussian}) {
    MemoryOptions options;
    options.key_dimension = d;
    options.pairs = m;
    options.keys = keys;
    options.values = Directions::kGaussian;
    options.query_value = false;
    const MemoryPrompts data = draw(options, rounds, 9);
    const double scale = keys == Directions::kGaussian ? 1.0 / static_cast<double>(d) : 1.0;
    const Matrix targets = scale * memory_targets(data.prompts);
    double sum = 0, squares = 0;
    for (Index i = 0; i < rounds; ++i) {
      const double error =
          (targets.row(i).tail(d) -
           data.prompts.prompt(i).row(data.asked[static_cast<std::size_t>(i)]).tail(d))
              .squaredNorm() /
          static_cast<double>(d);
      sum += error;
      squares += error * error;
    }
    const double mean = sum / rounds;
    const double deviation = std::sqrt((squares / rounds - mean * mean) / rounds);
    CHECK(std::fabs(mean - crosstalk(keys, m, d)) < 3.5 * deviation);
    CHECK(deviation < 0.03);
  }
  CHECK(crosstalk(Directions::kOrthogonal, 8, 8) == 0);
  CHECK(std::isnan(crosstalk(Directions::kOrthogonal, 9, 8)));
}

TEST_CASE("least squares of least norm finds the memory even where the data leave it open") {
  const MemoryPrompts data = draw(square(3), 500);
  const FitResult result = fit(last_samples(data.prompts), memory_targets(data.prompts));
  CHECK(result.rank == 110);
  const Matrix truth = coefficients(memory_heads(3));
  CHECK((result.coefficients - truth).norm() < 1e-11 * truth.norm());
}

TEST_CASE("memories that cannot be drawn are refused by name") {
  const auto parameter = [](const MemoryOptions& options) -> std::string {
    try {
      draw(options, 3);
    } catch (const Error& error) {
      return error.parameter();
    }
    return "none";
  };
  MemoryOptions options = square(3);
  options.pairs = 4;
  CHECK(parameter(options) == "pairs");
  options.keys = options.values = Directions::kUnit;
  CHECK(parameter(options) == "none");
  options.gaussian_share = 1.5;
  CHECK(parameter(options) == "gaussianShare");
  options = square(3);
  options.key_dimension = 0;
  CHECK(parameter(options) == "keyDimension");
  CHECK_THROWS_AS(directions("haar", "keys"), Error);
  CHECK_THROWS_AS(retrieval_weights(memory_heads(2), Matrix::Ones(2, 6)), Error);
  CHECK_THROWS_AS(softmax_retrieval_weights(Matrix::Ones(2, 3), 1), Error);
}

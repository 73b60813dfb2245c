#include "measure/finite_prompt.h"

#include <doctest/doctest.h>

#include "measure/measure.h"
#include "reference.h"

using namespace attnlab;
using attnlab::tests::close;
using attnlab::tests::largest_difference;

TEST_CASE("a finite prompt is attention on its empirical measure, in any pieces") {
  RandomStream random(1, 2);
  const Matrix tokens = random.gaussian_matrix(50, 3);
  const Vector direction = (Vector(3) << 2, -1, 2).finished() / 3;
  const std::vector<double> magnitudes = {0, 0.7, 300};
  measure::FinitePrompt whole(direction, magnitudes, true);
  measure::FinitePrompt pieces(direction, magnitudes, true);
  whole.add(tokens);
  pieces.add(tokens.topRows(1));
  pieces.add(tokens.middleRows(1, 30));
  pieces.add(tokens.middleRows(31, 0));
  pieces.add(tokens.bottomRows(19));
  const auto empirical = measure::empirical(tokens, Vector());
  for (std::size_t k = 0; k < magnitudes.size(); ++k) {
    const auto expected = empirical->tilt(magnitudes[k] * direction);
    for (const auto* prompt : {&whole, &pieces}) {
      const auto summary = prompt->summary(k);
      CHECK(largest_difference(summary.mean, expected.mean) < 1e-13);
      CHECK(largest_difference(summary.covariance, expected.covariance) < 1e-12);
    }
  }
  CHECK(close(whole.summary(0).effective_sample_size, 50, 1e-14, 0));
  CHECK(close(whole.summary(0).largest_weight, 0.02, 1e-14, 0));
}

TEST_CASE("scores of 1e4 do not overflow") {
  const Matrix tokens = (Matrix(3, 1) << 10000, -10000, 9999).finished();
  measure::FinitePrompt prompt(Vector::Ones(1), std::vector<double>{1}, false);
  prompt.add(tokens.bottomRows(2));
  prompt.add(tokens.topRows(1));
  const auto summary = prompt.summary(0);
  CHECK(close(summary.mean(0), 10000 - 1 / (1 + std::exp(1.0)), 1e-14, 0));
  CHECK(close(summary.largest_weight, 1 / (1 + std::exp(-1.0)), 1e-14, 0));
}

TEST_CASE("a cleared prompt has forgotten its tokens") {
  measure::FinitePrompt prompt(Vector::Ones(1), std::vector<double>{1}, true);
  prompt.add(Matrix::Constant(4, 1, 100.0));
  prompt.clear();
  prompt.add(Matrix::Constant(2, 1, -3.0));
  CHECK(prompt.summary(0).mean(0) == -3.0);
  CHECK(prompt.summary(0).effective_sample_size == 2.0);
}

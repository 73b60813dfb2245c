#include "needle/token_training.h"

#include <doctest/doctest.h>
#include <cmath>

#include "core/error.h"
#include "needle/attention_moments.h"
#include "reference.h"

using namespace attnlab;
using namespace attnlab::needle;
using attnlab::tests::close;

namespace {

const TokenModel kModel{400, 10, 0.5};

TokenOverlaps manifold(double key, double value) {
  return {key, value, 0, 0, 0};
}

// A point off the manifold whose five overlaps some unit vectors have.
const TokenOverlaps kOff{0.3, -0.2, 0.15, 0.25, 0.1};

double risk_at(TokenOverlaps overlaps, double TokenOverlaps::* entry, double shift) {
  overlaps.*entry += shift;
  return token_risk(kModel, overlaps, 0.3).risk;
}

}  // namespace

TEST_CASE("the manifold risk has the reference values") {
  CHECK(close(manifold_risk(kModel, 1, 1, 0.1), .11350, 0, 6e-6));
  CHECK(close(manifold_risk(kModel, .5, .3, 0.1), .6408, 0, 6e-5));
  CHECK(close(manifold_risk(kModel, 1, 1, 0.0638), .0671, 0, 6e-5));
  CHECK(manifold_risk(kModel, 1, 1, 0.0638) < manifold_risk(kModel, 1, 1, 0.060));
  CHECK(manifold_risk(kModel, 1, 1, 0.0638) < manifold_risk(kModel, 1, 1, 0.068));
  CHECK(close(linear_regression_risk(kModel), 0.5 - 0.25 / 9.5, 1e-14, 0));
}

TEST_CASE("the risk off the manifold agrees with the one on it") {
  for (const double key : {-0.7, 0.0, 0.4, 1.0})
    for (const double value : {-1.0, 0.2})
      for (const double lambda : {0.05, 0.3, 2.0}) {
        const TokenRisk risk = token_risk(kModel, manifold(key, value), lambda);
        CHECK(close(risk.risk, manifold_risk(kModel, key, value, lambda), 1e-12, 1e-12));
        const ManifoldSlope slope = manifold_slope(kModel, key, value, lambda);
        CHECK(close(risk.gradient.key, slope.key, 1e-10, 1e-11));
        CHECK(close(risk.gradient.value, slope.value, 1e-11, 1e-12));
        CHECK(close(risk.gradient.value_on_key, 0, 0, 1e-12));
      }
}

TEST_CASE("the gradient off the manifold agrees with differences in all five overlaps") {
  const TokenOverlaps gradient = token_risk(kModel, kOff, 0.3).gradient;
  for (const auto entry : {&TokenOverlaps::key, &TokenOverlaps::value, &TokenOverlaps::value_on_key,
                           &TokenOverlaps::key_on_value, &TokenOverlaps::key_value}) {
    const double h = 1e-5;
    const double slope = (risk_at(kOff, entry, h) - risk_at(kOff, entry, -h)) / (2 * h);
    CHECK(close(gradient.*entry, slope, 1e-7, 1e-7));
  }
}

TEST_CASE("the risk off the manifold is that of drawn prompts") {
  // Vectors with the overlaps above, in six dimensions.
  const TokenModel model{8, 3, 0.5};
  RandomStream random(9, 1);
  Vector key = random.gaussian_vector(8).normalized();
  Vector value = random.gaussian_vector(8).normalized();
  const TokenOverlaps overlaps{key[0], value[1], value[0], key[1], key.dot(value)};
  const double lambda = 0.6;
  const TokenRisk risk = token_risk(model, overlaps, lambda);
  double sum = 0, squares = 0;
  const int samples = 40000;
  for (int n = 0; n < samples; ++n) {
    Matrix tokens = random.gaussian_matrix(3, 8);
    tokens.row(0) *= std::sqrt(0.5);
    tokens(0, 0) += 2;
    double miss = tokens(0, 1);
    for (Index l = 0; l < 3; ++l)
      miss -= std::erf(lambda * tokens.row(l).dot(key)) * tokens.row(l).dot(value);
    sum += miss * miss;
    squares += miss * miss * miss * miss;
  }
  const double mean = sum / samples;
  const double error = std::sqrt((squares / samples - mean * mean) / samples);
  CHECK(close(risk.risk, mean, 0, 3.7 * error));
}

TEST_CASE("projected gradient descent on the manifold passes the reference points") {
  const struct {
    int step;
    double key, value, risk;
  } rows[] = {{500, .133, .270, .581},
              {1000, .433, .794, .316},
              {2000, .753, 1, .122},
              {5000, .894, 1, .1153},
              {20000, .983, 1, .1137}};
  TokenOverlaps overlaps = manifold(.05, .05);
  int done = 0;
  for (const auto& row : rows) {
    for (; done < row.step; ++done)
      overlaps = projected_step(kModel, overlaps, 0.1, 4e-3);
    CHECK(close(overlaps.key, row.key, 0, 6e-4));
    CHECK(close(overlaps.value, row.value, 0, 6e-4));
    CHECK(close(manifold_risk(kModel, overlaps.key, overlaps.value, 0.1), row.risk, 0, 6e-4));
  }
}

TEST_CASE("the sign of the value's start decides which of the two minima is reached") {
  const double starts[][3] = {{.05, -.04, -1}, {-.05, -.05, -1}, {-.05, .05, 1}};
  for (const auto& start : starts) {
    TokenOverlaps overlaps = manifold(start[0], start[1]);
    for (int t = 0; t < 20000; ++t)
      overlaps = projected_step(kModel, overlaps, 0.1, 4e-3);
    CHECK(overlaps.key * start[2] > 0.9);
    CHECK(overlaps.value * start[2] > 0.99);
  }
}

TEST_CASE("a step off the manifold is the step of the vectors themselves") {
  // k, v in five dimensions with the gradient of the risk as a function of the vectors.
  RandomStream random(10, 1);
  Vector key = random.gaussian_vector(5).normalized(),
         value = random.gaussian_vector(5).normalized();
  const auto overlaps_of_vectors = [&] {
    return TokenOverlaps{key[0], value[1], value[0], key[1], key.dot(value)};
  };
  TokenOverlaps overlaps = overlaps_of_vectors();
  const TokenModel model{20, 4, 0.7};
  for (int t = 0; t < 20; ++t) {
    const TokenOverlaps g = token_risk(model, overlaps_of_vectors(), 0.5).gradient;
    Vector key_gradient = g.key_value * value, value_gradient = g.key_value * key;
    key_gradient[0] += g.key;
    key_gradient[1] += g.key_on_value;
    value_gradient[0] += g.value_on_key;
    value_gradient[1] += g.value;
    key_gradient -= key_gradient.dot(key) * key;
    value_gradient -= value_gradient.dot(value) * value;
    key = (key - 0.05 * key_gradient).normalized();
    value = (value - 0.05 * value_gradient).normalized();
    overlaps = projected_step(model, overlaps, 0.5, 0.05);
    const TokenOverlaps expected = overlaps_of_vectors();
    CHECK(close(overlaps.key, expected.key, 0, 1e-12));
    CHECK(close(overlaps.value, expected.value, 0, 1e-12));
    CHECK(close(overlaps.value_on_key, expected.value_on_key, 0, 1e-12));
    CHECK(close(overlaps.key_on_value, expected.key_on_value, 0, 1e-12));
    CHECK(close(overlaps.key_value, expected.key_value, 0, 1e-12));
  }
}

TEST_CASE("the flow is the limit of small steps") {
  const auto constant = [](double) { return 0.1; };
  const auto end = manifold_flow(kModel, {.05, .05}, constant, 0, 4, 0.02);
  TokenOverlaps overlaps = manifold(.05, .05);
  for (int t = 0; t < 40000; ++t)
    overlaps = projected_step(kModel, overlaps, 0.1, 1e-4);
  CHECK(close(end[0], overlaps.key, 0, 2e-4));
  CHECK(close(end[1], overlaps.value, 0, 2e-4));
}

TEST_CASE("stochastic descent on prompts follows the flow") {
  const TokenModel model{40, 5, 0.5};
  const LambdaSchedule schedule{0.3, 0};
  const int replicates = 6, steps = 1500;
  double key = 0, squares = 0;
  for (int r = 0; r < replicates; ++r) {
    TokenDescent descent(model, schedule, 2e-3, 5, 0.1,
                         RandomStream(3, static_cast<std::uint64_t>(r)));
    descent.start_on_manifold(0.3, 0.3);
    for (int t = 0; t < steps; ++t)
      descent.step();
    const double value = descent.overlaps().key;
    key += value / replicates;
    squares += value * value / replicates;
  }
  const double error = std::sqrt((squares - key * key) / (replicates - 1));
  const auto end = manifold_flow(model, {0.3, 0.3}, [](double) { return 0.3; }, 0, 3, 0.01);
  CHECK(end[0] > 0.5);
  // Steps of finite size cost a little more than the replicates' spread.
  CHECK(close(key, end[0], 0, 4 * error + 0.03));
}

TEST_CASE("models that make no sense are refused by name") {
  CHECK_THROWS_WITH_AS(token_risk({1, 10, 0.5}, manifold(0, 0), 0.1),
                       doctest::Contains("dimension"), Error);
  CHECK_THROWS_WITH_AS(token_risk(kModel, manifold(1.5, 0), 0.1), doctest::Contains("key"), Error);
  CHECK_THROWS_WITH_AS(token_risk({4, 10, 0}, manifold(0, 0), 0.1), doctest::Contains("tokenNoise"),
                       Error);
}

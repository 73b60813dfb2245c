#include "needle/bayes_evolution.h"

#include <doctest/doctest.h>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "needle/argmax_posterior.h"
#include "reference.h"

using namespace attnlab;
using namespace attnlab::needle;
using attnlab::tests::close;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Problem spiked(Index length, double snr, double noise = 0.1) {
  return {Model::kSpiked, snr, {length, length}, noise};
}
Problem argmax(Index length, double noise = 0.1) {
  return {Model::kMax, kInfinity, {length, length}, noise};
}

BayesOptions options(Index samples) {
  BayesOptions made;
  made.samples = samples;
  return made;
}

}  // namespace

TEST_CASE("the Bayes-optimal fixed points have the reference test errors") {
  const struct {
    Index length;
    double snr, ratio, risk;
  } rows[] = {{3, 1, 2, .5483}, {3, 1, 4, .5175}, {3, 1, 8, .5006}, {3, 1, 20, .4892},
              {3, 2, 2, .4103}, {3, 2, 4, .3810}, {3, 2, 8, .3667}, {3, 2, 20, .3579},
              {2, 2, 2, .2695}, {2, 2, 4, .2467}, {2, 2, 8, .2359}, {2, 2, 20, .2293}};
  for (const auto& row : rows) {
    const BayesResult result = bayes_state_evolution(spiked(row.length, row.snr), row.ratio,
                                                     options(4000), Start::kUninformed, 2, 1);
    CHECK(result.verdict == Verdict::kConverged);
    CHECK(close(result.risk, row.risk, 0, 3 * std::hypot(.0003, result.standard_error)));
  }
}

TEST_CASE("the Bayes-optimal fixed points of the largest score have the reference test errors") {
  const double rows[][2] = {{2, .310}, {4, .1715}, {8, .0891}, {20, .0363}};
  for (const auto& row : rows) {
    const BayesResult result =
        bayes_state_evolution(argmax(3), row[0], options(2000), Start::kInformed, 2, 1);
    CHECK(result.verdict == Verdict::kConverged);
    // The reference's Monte Carlo error at small risks is a few times 1e-4.
    CHECK(close(result.risk, row[1], 0, 3 * std::hypot(.0004, result.standard_error)));
  }
}

TEST_CASE("between the two thresholds the informed and the uninformed start end apart") {
  const BayesOptions fine = options(3000);
  const Problem problem = spiked(3, 2, 1e-3);
  const auto risk = [&](double ratio, Start start) {
    return bayes_state_evolution(problem, ratio, fine, start, 1, 2).risk;
  };
  CHECK(close(risk(1.2, Start::kInformed), .424, 0, .004));
  CHECK(close(risk(1.2, Start::kUninformed), .571, 0, .015));
  CHECK(close(risk(1.1, Start::kInformed), risk(1.1, Start::kUninformed), 0, .003));
  CHECK(close(risk(1.3, Start::kUninformed), .419, 0, .004));
}

TEST_CASE("an evolution that has not settled has no risk") {
  BayesOptions cut = options(200);
  cut.largest_iterations = 2;
  const BayesResult result = bayes_state_evolution(spiked(3, 2), 4, cut, Start::kUninformed, 2, 1);
  CHECK(result.verdict == Verdict::kNotSettled);
  CHECK(std::isnan(result.risk));
  CHECK(std::isnan(result.standard_error));
  CHECK(result.iterations == 2);
}

TEST_CASE("the posterior of the largest score is a probability with matching slopes") {
  const double means[3] = {0.3, -0.2, 0.1};
  const ArgmaxPosterior posterior(3, 0.4);
  double p[3], slopes[9];
  posterior.with_slopes(means, p, slopes);
  CHECK(close(p[0] + p[1] + p[2], 1, 1e-12, 0));
  for (int l = 0; l < 3; ++l) {
    double up[3] = {means[0], means[1], means[2]}, down[3] = {means[0], means[1], means[2]};
    up[l] += 1e-4;
    down[l] -= 1e-4;
    double p_up[3], p_down[3];
    posterior.probabilities(up, p_up);
    posterior.probabilities(down, p_down);
    for (int e = 0; e < 3; ++e)
      CHECK(close(slopes[3 * e + l], (p_up[e] - p_down[e]) / 2e-4, 1e-4, 1e-5));
  }
  const ArgmaxPosterior pair(2, 0.4);
  double q[2];
  pair.probabilities(means, q);
  CHECK(close(q[0], 0.5 * std::erfc(-0.5 / std::sqrt(0.8) / std::sqrt(2.0)), 0, 1e-8));
}

TEST_CASE("max with finite nu is refused where the Bayes-optimal equations are not known") {
  CHECK_THROWS_WITH_AS(
      bayes_state_evolution({Model::kMax, 2, {3, 3}, .1}, 2, {}, Start::kInformed, 1, 1),
      doctest::Contains("snr"), Error);
}

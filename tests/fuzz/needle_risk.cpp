// Risks of single-location regression: population, Bayes and Monte Carlo.
#include <cmath>

#include "needle/monte_carlo_risk.h"
#include "needle/population_risk.h"
#include "problems.h"
#include "target.h"

namespace attnlab::fuzz {
namespace {

using namespace attnlab::needle;

// On the manifold of aligned parameters nothing beats Bayes, at any scale, noise and bias.
void check_moments(Input& input) {
  const Problem problem = draw_problem(input, 40);
  const Kernel kernel = draw_kernel(input);
  const KeyAlignment alignment{input.flag() ? input.between(0, 20) : input.number(),
                               input.flag() ? 0.0 : input.number(),
                               input.flag() ? input.between(-9, 9) : input.number()};
  const MomentEvaluator evaluator(problem, kernel);
  const AttentionMoments moments = evaluator.at(alignment);
  expect_finite(moments.needle, "A");
  expect_finite(moments.square, "B");
  // Where every weight is 0 there is nothing to divide by.
  if (!(moments.square > 1e-12)) return;
  expect_between(bayes_risk(problem).risk, moments.best_risk(), 1, 1e-6, "the risk");
}

void check_bayes(Input& input) {
  expect_between(0, bayes_risk(draw_problem(input, 200)).risk, 1, 1e-9, "the Bayes risk");
}

// Closed forms, which cost nothing: the searches run in the experiments.
void check_linear(Input& input) {
  const Problem problem = draw_problem(input, 200);
  const double bayes = bayes_risk(problem).risk;
  for (const auto& found : {linear_optimum(problem), centred_linear_optimum(problem)}) {
    expect_finite(found.scale, "a scale");
    expect_finite(found.output, "an output weight");
    expect_between(bayes, found.risk, 1, 1e-9, "the linear risk");
  }
}

void check_monte_carlo(Input& input) {
  const Problem problem = draw_problem(input, 12);
  const bool plain = input.flag();
  const auto one = [&] { return plain ? input.plain() : input.number(); };
  Overlaps overlaps;
  for (double* overlap :
       {&overlaps.key, &overlaps.key_power, &overlaps.value, &overlaps.value_power,
        &overlaps.key_on_value, &overlaps.value_on_key, &overlaps.key_value})
    *overlap = one();
  RandomStream random(input.word(), 2);
  const auto found =
      risk_monte_carlo(problem, draw_kernel(input), one(), overlaps, input.count(0, 20), random);
  if (!plain) return;
  expect_finite(found.risk, "the risk");
  expect(found.standard_error >= 0, "the standard error");
}

void run(Input& input) {
  static constexpr void (*kChecks[])(Input&) = {check_moments, check_bayes, check_linear,
                                                check_monte_carlo};
  accepted([&] { input.one_of(kChecks)(input); });
}

const Target kTarget("needle_risk", run);

}  // namespace
}  // namespace attnlab::fuzz

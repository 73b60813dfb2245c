#include <doctest/doctest.h>

#include <cmath>

#include "core/error.h"
#include "experiments/parameters.h"
#include "experiments/registry.h"
#include "reference.h"

using namespace attnlab;
using namespace attnlab::experiments;
using attnlab::tests::close;

namespace {

const Experiment& sample() {
  return find_experiment("needle.finite-sample");
}

std::vector<double> column(const RunResult& result, const char* table, const char* name) {
  return number_column(sample(), result.tables, table, name);
}

}  // namespace

TEST_CASE("theory, training and the Bayes-optimal estimator stand in their order at alpha = 20") {
  const auto result = run_to_end(sample(),
                                 {{"ratios", std::vector<double>{20}},
                                  {"dimension", 40.0},
                                  {"replicates", 6.0},
                                  {"theorySamples", 3000.0}},
                                 1);
  const double softmax = column(result, "summary", "softmax")[0];
  const double linear = column(result, "summary", "linear")[0];
  // L-BFGS on drawn data: .4069(21) and .5270(26); Bayes-optimal .3579.
  CHECK(close(softmax, .4069, 0, 3 * .0021 + .006));
  CHECK(close(linear, .5270, 0, 3 * .0026 + .006));
  CHECK(close(column(result, "summary", "bayesOptimal")[0], .3579, 0, 2e-3));
  CHECK(close(column(result, "summary", "bayesRisk")[0], .35242, 0, 1e-5));
  CHECK(close(column(result, "points", "softmaxRiskTrained")[0], softmax, 0,
              3.7 * column(result, "points", "softmaxRiskError")[0] + .01));
  CHECK(close(column(result, "points", "linearRiskTrained")[0], linear, 0,
              3.7 * column(result, "points", "linearRiskError")[0] + .01));
  CHECK(result.tables[2].columns[1].numbers.empty());
}

TEST_CASE("a cell whose equations fail is hatched and has no number") {
  const auto result = run_to_end(sample(),
                                 {{"ratios", std::vector<double>{4}},
                                  {"ridgeKeys", 0.1},
                                  {"ridgeValues", 0.1},
                                  {"dimension", 20.0},
                                  {"replicates", 2.0},
                                  {"theorySamples", 1500.0},
                                  {"theoryStreams", 1.0}},
                                 1);
  CHECK(std::isnan(column(result, "points", "linearRisk")[0]));
  CHECK_FALSE(std::isnan(column(result, "points", "linearRiskTrained")[0]));
  const auto& failures = result.tables[2];
  REQUIRE(failures.columns[0].texts.size() >= 2);
  CHECK(failures.columns[0].texts.back() == "linear, α = 4");
  CHECK(failures.columns[4].texts.back() != "converged");
}

TEST_CASE("a partial record of a few tasks makes a partial figure") {
  const auto plan =
      sample().prepare(complete(sample().descriptor(), {{"ratios", std::vector<double>{2, 8}}}), 1);
  std::vector<Record> records(plan->task_count());
  const Tables nothing = plan->summarise(records);
  CHECK(nothing[0].columns[0].numbers.size() == 2);
  CHECK(std::isnan(nothing[0].columns[1].numbers[0]));
}

TEST_CASE("data sets beyond memory and max with finite nu are handled before and without work") {
  CHECK_THROWS_WITH_AS(
      run_to_end(sample(), {{"dimension", 1000.0}, {"ratios", std::vector<double>{100}}}, 1),
      doctest::Contains("dimension"), Error);
  const auto result = run_to_end(sample(),
                                 {{"model", std::string("max")},
                                  {"ratios", std::vector<double>{8}},
                                  {"dimension", 20.0},
                                  {"replicates", 1.0},
                                  {"theorySamples", 500.0},
                                  {"theoryStreams", 1.0}},
                                 1);
  CHECK(std::isnan(column(result, "summary", "bayesOptimal")[0]));
}

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

const Experiment& risks() {
  return find_experiment("needle.population-risk");
}

std::vector<double> column(const RunResult& result, const char* table, const std::string& name) {
  return number_column(risks(), result.tables, table, name);
}

void check_played(const RunResult& result) {
  for (const std::string kernel :
       {"softmax", "softplus", "erf", "linear", "centredLinear", "relu"}) {
    const auto theory = column(result, "points", kernel);
    const auto played = column(result, "points", kernel + "Played");
    const auto error = column(result, "points", kernel + "Error");
    CAPTURE(kernel);
    for (std::size_t i = 0; i < theory.size(); ++i)
      if (!std::isnan(played[i])) CHECK(close(played[i], theory[i], 0, 3.7 * error[i] + 1e-9));
  }
}

}  // namespace

TEST_CASE(
    "figure 2, spiked: theory has the reference risks at nu = 1, 2, 9 and the played dots lie on "
    "it") {
  const auto result =
      run_to_end(risks(), {{"snrs", std::vector<double>{1, 2, 9}}, {"prompts", 3000.0}}, 1);
  const auto x = column(result, "points", "x");
  CHECK(x.size() == 3 + 2 * 3);
  const struct {
    double snr, bayes, linear, erf, softplus;
  } rows[] = {{1, .324943, .4, .398, .3286},
              {2, .2248, 1.0 / 3, .32499, .2357},
              {9, .025641, .153846, .09867, .0615}};
  for (const auto& row : rows)
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (x[i] != row.snr) continue;
      CHECK(close(column(result, "points", "bayes")[i], row.bayes, 0, 1e-6));
      CHECK(close(column(result, "points", "softmax")[i], row.bayes, 0, 1e-6));
      CHECK(close(column(result, "points", "softmaxScale")[i], std::sqrt(row.snr), 1e-3, 0));
      CHECK(close(column(result, "points", "linear")[i], row.linear, 0, 1e-6));
      CHECK(close(column(result, "points", "erf")[i], row.erf, 0, 2e-4));
      CHECK(close(column(result, "points", "softplus")[i], row.softplus, 0, 1.5e-3));
    }
  check_played(result);
}

TEST_CASE("figure 2, max: softmax falls while linear attention rises with the length") {
  Values values = preset_values(risks().descriptor(), "figure-2-max");
  values["lengths"] = std::vector<double>{2, 5};
  values["prompts"] = 3000.0;
  const auto result = run_to_end(risks(), values, 2);
  CHECK(close(column(result, "points", "linear")[0], .34085, 0, 1e-5));
  CHECK(close(column(result, "points", "linear")[1], .52950, 0, 1e-5));
  CHECK(close(column(result, "points", "softmax")[1], .0150, 0, 1e-4));
  CHECK(close(column(result, "rates", "elementwise")[1], 4.0 / 9, 1e-12, 0));
  check_played(result);
}

TEST_CASE("figure 2, random length: linear attention sees the mean length only") {
  Values values = preset_values(risks().descriptor(), "figure-2-random-length");
  values["snrs"] = std::vector<double>{5};
  values["prompts"] = 3000.0;
  const auto result = run_to_end(risks(), values, 3);
  CHECK(close(column(result, "points", "linear")[0], 2.0 / 9, 1e-12, 0));
  CHECK(close(column(result, "points", "softmax")[0], .0766, 0, 9e-4));
  CHECK(close(column(result, "points", "softplus")[0], .1028, 0, 1.5e-3));
  check_played(result);
}

TEST_CASE("the dashed laws are drawn where they hold and nowhere else") {
  const auto result = run_to_end(
      risks(), {{"snrs", std::vector<double>{0.5, 16}}, {"length", 3.0}, {"prompts", 100.0}}, 1);
  const auto law = column(result, "rates", "softmaxLaw");
  CHECK(std::isnan(law.front()));
  CHECK(close(law.back() * .851, column(result, "points", "softmax").back(), 5e-3, 0));
  CHECK(close(column(result, "rates", "linearLaw").back(), 3.0 / 16, 1e-12, 0));
}

TEST_CASE("a sweep of nu has no meaning where nu is infinite") {
  CHECK_THROWS_WITH_AS(run_to_end(risks(), {{"model", std::string("argmax")}}, 1),
                       doctest::Contains("sweep"), Error);
}

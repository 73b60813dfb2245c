#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/random.h"
#include "experiments/parameters.h"
#include "experiments/registry.h"
#include "reference.h"

using namespace attnlab;
using namespace attnlab::experiments;
using attnlab::tests::close;

namespace {

const Experiment& haystack() {
  return find_experiment("needle.haystack");
}

double first(const RunResult& result, const char* table, const char* column) {
  return number_column(haystack(), result.tables, table, column).at(0);
}

}  // namespace

TEST_CASE("softmax finds the needle far more often than linear attention") {
  const auto result = run_to_end(haystack(), {{"prompts", 400.0}, {"trainingSteps", 4.0}}, 3);
  CHECK(first(result, "summary", "softmaxFound") > 85);
  CHECK(first(result, "summary", "linearFound") < 50);
  CHECK(first(result, "summary", "softmaxFound") > first(result, "summary", "linearFound") + 30);
  CHECK(first(result, "summary", "prompts") == 400);
}

TEST_CASE("the risks that are played agree with theory at every length") {
  const auto result =
      run_to_end(haystack(), {{"prompts", 600.0}, {"snr", 4.0}, {"trainingSteps", 4.0}}, 5);
  const auto column = [&](const char* name) {
    return number_column(haystack(), result.tables, "lengths", name);
  };
  const auto lengths = column("length");
  CHECK(lengths.size() == 7);
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    CHECK(close(column("softmaxRisk")[i], column("softmaxTheory")[i], 0,
                3.7 * column("softmaxRiskError")[i]));
    CHECK(close(column("linearRisk")[i], column("linearTheory")[i], 0,
                3.7 * column("linearRiskError")[i]));
    // L (L - 1)/(L^2 + (L - 1) nu).
    const double l = lengths[i];
    CHECK(close(column("linearTheory")[i], l * (l - 1) / (l * l + (l - 1) * 4), 1e-12, 0));
  }
}

TEST_CASE("the needle of the prompt on show holds most of softmax's attention") {
  const auto result =
      run_to_end(haystack(), {{"prompts", 20.0}, {"snr", 40.0}, {"trainingSteps", 4.0}}, 2);
  const auto& softmax = number_column(haystack(), result.tables, "weights", "softmax");
  const auto& needle = number_column(haystack(), result.tables, "weights", "needle");
  double on = 0, sum = 0;
  for (std::size_t i = 0; i < softmax.size(); ++i) {
    on += needle[i] * softmax[i];
    sum += softmax[i];
  }
  CHECK(on > 0.9);
  CHECK(close(sum, 1, 0, 1e-6));
  CHECK(needle.at(static_cast<std::size_t>(first(result, "summary", "position")) - 1) == 1);
}

TEST_CASE("without training softmax looks everywhere alike") {
  const auto result = run_to_end(
      haystack(), {{"prompts", 20.0}, {"sharpness", 0.0}, {"length", 5.0}, {"trainingSteps", 4.0}},
      2);
  for (const double weight : number_column(haystack(), result.tables, "weights", "softmax"))
    CHECK(close(weight, 0.2, 1e-9, 0));
}

TEST_CASE("softmax learns to find the needle from prompts") {
  const auto result = run_to_end(haystack(), {{"prompts", 20.0}, {"trainingSteps", 1024.0}}, 1);
  const auto& found = number_column(haystack(), result.tables, "training", "softmaxFound");
  const auto& risk = number_column(haystack(), result.tables, "training", "softmaxRisk");
  CHECK(found.size() == 10);
  CHECK(found.front() < 0.2);
  CHECK(found.back() > 0.7);
  CHECK(risk.back() < 0.4 * risk.front());
}

TEST_CASE("the reader's own rows can be the haystack") {
  RandomStream random(4, 4);
  const Matrix rows = random.gaussian_matrix(60, 5);
  const Values values = {{"source", std::string("matrix")},
                         {"tokens", rows},
                         {"prompts", 100.0},
                         {"trainingSteps", 4.0}};
  const auto result = run_to_end(haystack(), values, 1);
  CHECK(first(result, "summary", "softmaxFound") > 70);
  CHECK_THROWS_WITH_AS(run_to_end(haystack(), {{"source", std::string("matrix")}}, 1),
                       doctest::Contains("tokens"), Error);
}

TEST_CASE("every preset of the haystack without words runs at a reduced size") {
  for (const auto& preset : haystack().descriptor().presets) {
    Values values = preset_values(haystack().descriptor(), preset.name);
    if (text(values, "source") == "text") continue;  // its vectors are tested with the resources
    values["prompts"] = 20.0;
    values["trainingSteps"] = 8.0;
    values["length"] = std::min(number(values, "length"), 16.0);
    CHECK_NOTHROW(run_to_end(haystack(), values, 1));
  }
}

TEST_CASE("whoever looks everywhere alike finds nothing, not even among two tokens") {
  const auto result =
      run_to_end(haystack(), {{"prompts", 40.0}, {"sharpness", 0.0}, {"trainingSteps", 4.0}}, 2);
  for (const char* column : {"softmaxFound", "linearFound"})
    for (const double share : number_column(haystack(), result.tables, "lengths", column))
      CHECK(share == 0);
}

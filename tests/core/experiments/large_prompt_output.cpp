#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "experiments/parameters.h"
#include "experiments/registry.h"
#include "experiments/small_runs.h"
#include "experiments/word_vectors.h"
#include "reference.h"

using namespace attnlab;
using namespace attnlab::experiments;
using attnlab::tests::close;

namespace {

const Experiment& output() {
  return find_experiment("large-prompt.output");
}

std::string failed_parameter(const Values& values) {
  try {
    run_to_end(output(), values, 1);
  } catch (const Error& error) {
    return error.parameter();
  }
  return "none";
}

}  // namespace

TEST_CASE("at d = 5 and |a| = 1 the output error and its slope are the derived ones") {
  const Values values = {{"magnitudes", std::vector<double>{1}}, {"replicates", 24.0}};
  const auto result = run_to_end(output(), values, 7);
  const auto column = [&](const char* table, const char* name) {
    return number_column(output(), result.tables, table, name);
  };
  // sqrt(e (d + 1) / n).
  CHECK(close(column("summary", "theory")[0], 0.03155, 0, 5e-6));
  CHECK(column("summary", "tokenCount")[0] == 16384);
  CHECK(std::fabs(column("summary", "rms")[0] - 0.03155) < 3 * column("summary", "rmsError")[0]);
  CHECK(column("summary", "rmsError")[0] < 0.004);
  CHECK(std::fabs(column("curves", "slope")[0] + 0.5) < 3 * column("curves", "slopeError")[0]);
  CHECK(column("curves", "slopeError")[0] < 0.05);
  // ESS / n -> 1 / e.
  CHECK(std::fabs(column("points", "sampleShare").back() - std::exp(-1.0)) <
        3 * column("points", "sampleShareError").back() + 1e-3);
  CHECK(column("summary", "nonlinearity")[0] == 0);
}

TEST_CASE("at |a| = 3 the softmax is frozen below e^4.5 tokens and the law is not drawn there") {
  const Values values = {
      {"magnitudes", std::vector<double>{3}}, {"largestCount", 1024.0}, {"replicates", 40.0}};
  const auto result = run_to_end(output(), values, 1);
  const auto& frozen = number_column(output(), result.tables, "frozen", "tokenCount");
  CHECK(frozen == std::vector<double>{16, 32, 64});
  const auto& n = number_column(output(), result.tables, "points", "tokenCount");
  const auto& theory = number_column(output(), result.tables, "points", "theory");
  const auto& weight = number_column(output(), result.tables, "points", "largestWeight");
  const auto& rms = number_column(output(), result.tables, "points", "rms");
  for (std::size_t i = 0; i < n.size(); ++i)
    CHECK(std::isnan(theory[i]));
  // One token holds more than a quarter of the weight all the way, and the error falls far more
  // slowly than 1 / sqrt(n): by less than 3 over a factor 64.
  CHECK(*std::min_element(weight.begin(), weight.end()) > 0.2);
  CHECK(rms.front() / rms.back() < 3);
}

TEST_CASE("outside of the Laplace domain the output grows instead of settling") {
  const Values values = {{"source", std::string("laplace")},
                         {"dimensions", std::vector<double>{1}},
                         {"magnitudes", std::vector<double>{0.5, 3}},
                         {"largestCount", 1024.0},
                         {"replicates", 20.0}};
  const auto result = run_to_end(output(), values, 1);
  const auto& growth = number_column(output(), result.tables, "points", "growth");
  const auto& rms = number_column(output(), result.tables, "points", "rms");
  CHECK(std::isnan(growth.front()));
  CHECK(std::isnan(rms.back()));
  CHECK(growth.back() > growth[growth.size() - 4] + 1);
}

TEST_CASE("tokens that follow each other need the summed autocovariances") {
  const Values values = {{"source", std::string("ar1")},
                         {"dimensions", std::vector<double>{3}},
                         {"magnitudes", std::vector<double>{0.5}},
                         {"largestCount", 2048.0},
                         {"replicates", 100.0}};
  const auto result = run_to_end(output(), values, 3);
  const double rms = number_column(output(), result.tables, "summary", "rms")[0];
  const double error = number_column(output(), result.tables, "summary", "rmsError")[0];
  // Independent tokens: sqrt(e^{1/4} 3.25 / n); these ones, phi = .8, by summing the series here.
  double constant = 0;
  for (int k = -200; k <= 200; ++k) {
    const double power = std::pow(0.8, std::abs(k));
    constant += std::exp(0.25 * power) * (3 * power + 0.25 * power * power);
  }
  CHECK(std::fabs(rms - std::sqrt(constant / 2048)) < 3 * error);
  CHECK(rms > 2 * std::sqrt(std::exp(0.25) * 3.25 / 2048));
}

TEST_CASE("every preset of large-prompt.output runs at a small size") {
  tests::word_vectors();
  for (const auto& preset : output().descriptor().presets) {
    CAPTURE(preset.name);
    Values values = preset.values;
    values["largestCount"] = 128.0;
    values["replicates"] = 8.0;
    const auto result = run_to_end(output(), values, 1);
    CHECK(result.tables.size() == output().descriptor().tables.size());
    for (const double count : number_column(output(), result.tables, "points", "prompts"))
      CHECK(count >= 8);
  }
}

TEST_CASE("a text is told by its words and by its distance from linear") {
  tests::word_vectors();
  const Values values = {{"source", std::string("text")},
                         {"magnitudes", std::vector<double>{1}},
                         {"largestCount", 512.0},
                         {"replicates", 100.0}};
  const auto result = run_to_end(output(), values, 1);
  const auto summary = [&](const char* name) {
    return number_column(output(), result.tables, "summary", name)[0];
  };
  CHECK(summary("knownWords") > 150);
  CHECK(summary("nonlinearity") > 0.05);
  CHECK(summary("nonlinearity") < 0.5);
  CHECK(std::fabs(summary("rms") - summary("theory")) <
        3 * summary("rmsError") + 0.02 * summary("theory"));
}

TEST_CASE("your own matrix is its own reference") {
  const Matrix tokens = (Matrix(4, 2) << 1, 0, -1, 0, 0, 2, 0, -2).finished();
  const Values values = {{"source", std::string("matrix")},
                         {"tokens", tokens},
                         {"components", 0.0},
                         {"scaling", std::string("none")},
                         {"direction", std::string("axis")},
                         {"magnitudes", std::vector<double>{1}},
                         {"largestCount", 1024.0},
                         {"replicates", 100.0}};
  const auto result = run_to_end(output(), values, 1);
  // T(a) = (sinh 1, 0) 2 / (2 cosh 1 + 2); G = diag(1/2, 2), so the linear part is (1/2, 0).
  const double gain = std::sinh(1.0) / (std::cosh(1.0) + 1);
  CHECK(close(number_column(output(), result.tables, "summary", "nonlinearity")[0],
              std::fabs(gain - 0.5) / 0.5, 1e-12, 0));
  const double rms = number_column(output(), result.tables, "summary", "rms")[0];
  const double theory = number_column(output(), result.tables, "summary", "theory")[0];
  CHECK(std::fabs(rms - theory) <
        3 * number_column(output(), result.tables, "summary", "rmsError")[0] + 0.01 * theory);
}

TEST_CASE("the order of the tasks changes nothing, and half of them make a figure") {
  Values values = output().descriptor().presets.front().values;
  values["largestCount"] = 64.0;
  values["replicates"] = 12.0;
  const auto expected = fingerprint(run_to_end(output(), values, 5).tables);
  const auto plan = output().prepare(complete(output().descriptor(), values), 5);
  std::vector<Record> records(plan->task_count());
  REQUIRE(records.size() == 3);
  for (std::size_t number = records.size(); number-- > 0;) {
    const auto task = plan->task(number);
    CHECK(task->progress() == 0);
    while (!task->step()) {
    }
    CHECK(task->progress() == 1);
    records[number] = task->record();
    const Tables partial = plan->summarise(records);
    CHECK(number_column(output(), partial, "points", "prompts")[0] > 0);
  }
  CHECK(fingerprint(plan->summarise(records)) == expected);
}

TEST_CASE("values that do not fit each other are refused by name") {
  tests::word_vectors();
  CHECK(failed_parameter({{"source", std::string("matrix")}}) == "tokens");
  CHECK(failed_parameter({{"source", std::string("matrix")},
                          {"tokens", Matrix::Ones(3, 2).eval()}}) == "tokens");
  CHECK(failed_parameter({{"source", std::string("matrix")},
                          {"tokens", Matrix::Identity(3, 1025).eval()}}) == "tokens");
  CHECK(failed_parameter({{"dimensions", std::vector<double>{2.5}}}) == "dimensions");
  CHECK(failed_parameter({{"source", std::string("text")}, {"text", std::string("zzz")}}) ==
        "text");
  CHECK(failed_parameter({{"magnitudes", std::vector<double>{-1}}}) == "magnitudes");
}

TEST_CASE("own tokens that vary in few directions keep those") {
  Matrix tokens(6, 2);
  for (Index i = 0; i < 6; ++i)
    tokens.row(i) << static_cast<double>(i * i), 2.0 * static_cast<double>(i * i);
  const tests::SmallRun run("large-prompt.output", {{"source", std::string("matrix")},
                                                    {"tokens", tokens},
                                                    {"magnitudes", std::vector<double>{.5}},
                                                    {"largestCount", 64.0},
                                                    {"replicates", 4.0}});
  CHECK(run.column("points", "rms")[0] > 0);
}

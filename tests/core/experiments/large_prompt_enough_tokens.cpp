#include <cmath>

#include "core/error.h"
#include "core/random.h"
#include "experiments/crossing.h"
#include "experiments/small_runs.h"
#include "experiments/surrogates.h"
#include "experiments/word_vectors.h"
#include "reference.h"

using namespace attnlab;
using namespace attnlab::experiments;
using attnlab::tests::close;
using attnlab::tests::largest_difference;

TEST_CASE("a falling power law crosses a level where its formula says") {
  const std::vector<double> x = {10, 100, 1000};
  const std::vector<double> y = {1, 0.1, 0.01};
  const std::vector<double> error = {0, 0.01, 0.001};
  const Crossing found = crossing(x, y, error, 0.05);
  CHECK(close(found.place, 200, 1e-12, 0));
  CHECK(found.low < 200);
  CHECK(found.high > 200);
  CHECK(crossing(x, y, error, 2).place == 10);
  CHECK(std::isnan(crossing(x, y, error, 1e-3).place));
}

TEST_CASE("every surrogate of high accuracy comes near to softmax attention") {
  RandomStream random(1, 30);
  const Matrix tokens = 0.5 * random.gaussian_matrix(64, 3);
  const Matrix queries = 0.5 * random.gaussian_matrix(5, 3);
  const Matrix exact = apply_surrogate({"Taylor", "", 40}, queries, tokens, 1);
  double worst = 0;
  for (const auto& surrogate : surrogates(64, 3)) {
    CAPTURE(surrogate.method + " " + surrogate.setting);
    const Matrix output = apply_surrogate(surrogate, queries, tokens, 1);
    CHECK(output.rows() == 5);
    const double gap = largest_difference(output, exact);
    CHECK(gap < 0.5);
    if (surrogate.method == "Taylor" && surrogate.size >= 8) CHECK(gap < 1e-4);
    worst = std::fmax(worst, gap);
    CHECK(surrogate_cost(surrogate, 64, 3) > 0);
  }
  CHECK(worst > 1e-3);
  // Pooling to every token is softmax attention itself.
  CHECK(largest_difference(apply_surrogate({"Linformer, pooled", "", 64}, queries, tokens, 1),
                           exact) < 1e-12);
}

TEST_CASE("on Gaussian tokens the number of tokens needed is the derived one") {
  const tests::SmallRun run(
      "large-prompt.enough-tokens",
      {{"tolerance", 0.15}, {"replicates", 30.0}, {"swapPrompts", 2.0}, {"tokenCount", 64.0}});
  CHECK(run.column("summary", "floor")[0] == 0);
  const double needed = run.column("summary", "tokens")[0];
  const double theory = run.column("summary", "tokensTheory")[0];
  // The derived line is somewhat high before its higher orders are small.
  CHECK(needed < 1.1 * theory);
  CHECK(needed > 0.75 * theory);
  CHECK(run.column("summary", "tokensLow")[0] < needed);
  CHECK(run.column("summary", "tokensHigh")[0] > needed);
}

TEST_CASE("on clusters no length is enough") {
  const tests::SmallRun run("large-prompt.enough-tokens", {{"source", std::string("mixture")},
                                                           {"tolerance", 0.2},
                                                           {"largestCount", 512.0},
                                                           {"replicates", 20.0},
                                                           {"swapPrompts", 2.0},
                                                           {"tokenCount", 64.0}});
  CHECK(run.column("summary", "floor")[0] > 0.3);
  CHECK(std::isnan(run.column("summary", "tokens")[0]));
  CHECK(std::isnan(run.column("summary", "tokensTheory")[0]));
  CHECK(run.column("summary", "limitTokens")[0] < 512);
}

TEST_CASE("your weights must fit your tokens") {
  try {
    tests::SmallRun("large-prompt.enough-tokens", {{"weights", Matrix::Identity(3, 3).eval()}});
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.parameter() == "weights");
  }
}

TEST_CASE("every preset of large-prompt.enough-tokens runs at a small size") {
  tests::word_vectors();
  tests::check_presets("large-prompt.enough-tokens", {{"largestCount", 64.0},
                                                      {"replicates", 8.0},
                                                      {"swapPrompts", 2.0},
                                                      {"tokenCount", 32.0},
                                                      {"queries", 4.0}});
}

TEST_CASE("no choice is offered that does nothing or is refused") {
  for (const char* id : {"large-prompt.enough-tokens", "large-prompt.gradient"}) {
    const auto& parameters = experiments::find_experiment(id).descriptor().parameters;
    for (const auto& parameter : parameters) {
      CHECK(parameter.name != "persistence");
      for (const auto& choice : parameter.choices)
        CHECK(choice.name != "ar1");
      for (const auto& value : parameter.shown_when.values)
        CHECK(value != "ar1");
      if (std::string(id) == "large-prompt.enough-tokens") CHECK(parameter.name != "direction");
    }
  }
}

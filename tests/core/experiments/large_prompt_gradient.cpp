#include <cmath>

#include "core/error.h"
#include "experiments/small_runs.h"
#include "experiments/word_vectors.h"
#include "reference.h"

using namespace attnlab;
using attnlab::tests::close;

TEST_CASE("at d = 5 and |a| = 1 the tilted covariance has the derived error and slope") {
  const tests::SmallRun run("large-prompt.gradient",
                            {{"magnitudes", std::vector<double>{1}}, {"replicates", 16.0}}, 4);
  // sqrt(e ((d + 1)^2 + 2 + d) / n).
  CHECK(close(run.column("summary", "theory")[0], std::sqrt(std::exp(1.0) * 43 / 16384), 1e-12, 0));
  CHECK(std::fabs(run.column("summary", "covariance")[0] - .0845) <
        3 * run.column("summary", "covarianceError")[0]);
  CHECK(std::fabs(run.column("curves", "slope")[0] + .5) <
        3 * run.column("curves", "slopeError")[0]);
}

TEST_CASE("the covariance constants of bounded tokens are what prompts show") {
  for (const char* source : {"sphere", "ball", "cube", "rademacher", "mixture"}) {
    CAPTURE(source);
    const tests::SmallRun run("large-prompt.gradient",
                              {{"source", std::string(source)},
                               {"dimensions", std::vector<double>{3}},
                               {"magnitudes", std::vector<double>{0.8}},
                               {"largestCount", 1024.0},
                               {"replicates", 60.0}},
                              2);
    const double found = run.column("summary", "covariance")[0];
    const double theory = run.column("summary", "theory")[0];
    CHECK(std::fabs(found - theory) <
          3.5 * run.column("summary", "covarianceError")[0] + 0.02 * theory);
  }
}

TEST_CASE("every preset of large-prompt.gradient runs at a small size") {
  tests::word_vectors();
  tests::check_presets("large-prompt.gradient", {{"largestCount", 64.0}, {"replicates", 12.0}});
}

TEST_CASE("a domain that is left is named") {
  CHECK_THROWS_AS(
      tests::SmallRun("large-prompt.gradient",
                      {{"source", std::string("laplace")}, {"magnitudes", std::vector<double>{4}}}),
      Error);
}

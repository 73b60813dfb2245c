#include <cmath>

#include "experiments/small_runs.h"
#include "reference.h"

using namespace attnlab;
using attnlab::tests::close;

TEST_CASE("for weak queries the mean squared error is the derived constant over n") {
  const tests::SmallRun run("large-prompt.queries",
                            {{"strengths", std::vector<double>{0.1}},
                             {"dimension", 5.0},
                             {"largestCount", 4096.0},
                             {"replicates", 100.0}},
                            5);
  const auto& n = run.column("points", "tokenCount");
  const auto& found = run.column("points", "squaredError");
  const auto& error = run.column("points", "squaredErrorError");
  CHECK(close(run.column("exponents", "constant")[0], 9.826, 0, 5e-4));
  CHECK(std::fabs(found.back() * n.back() - 9.826) < 3.5 * error.back() * n.back());
}

TEST_CASE("for strong queries the error falls more slowly than 1/n, and ever more so") {
  const tests::SmallRun run("large-prompt.queries",
                            {{"strengths", std::vector<double>{0.25, 1, 4}},
                             {"largestCount", 4096.0},
                             {"replicates", 160.0}},
                            6);
  const auto& slope = run.column("exponents", "slope");
  const auto& error = run.column("exponents", "slopeError");
  CHECK(std::fabs(slope[0] + .98) < 3.5 * error[0] + 0.03);
  // From 64 to 4096 tokens a 1/n law divides by 64; the exponents -.69 and -.29 by 18 and 3.3.
  const auto& found = run.column("points", "squaredError");
  const std::size_t sizes = found.size() / 3;
  const double middle = found[sizes] / found[2 * sizes - 1];
  const double strong = found[2 * sizes] / found[3 * sizes - 1];
  CHECK(middle < 40);
  CHECK(strong < 6);
  CHECK(std::isnan(run.column("points", "theory").back()));
  CHECK(std::isfinite(run.column("points", "guide").back()));
}

TEST_CASE("every preset of large-prompt.queries runs at a small size") {
  tests::check_presets("large-prompt.queries", {{"largestCount", 256.0}, {"replicates", 40.0}});
}

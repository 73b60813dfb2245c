#include <doctest/doctest.h>

#include <string>

#include "core/error.h"
#include "experiments/parameters.h"
#include "experiments/registry.h"
#include "reference.h"

using namespace attnlab;
using namespace attnlab::experiments;

namespace {

RunResult run_preset(const char* preset, const Values& changes) {
  const Experiment& experiment = find_experiment("mhla.certificate");
  Values values = preset_values(experiment.descriptor(), preset);
  for (const auto& change : changes)
    values[change.first] = change.second;
  return run_to_end(experiment, values, 2);
}
const std::vector<double>& column(const RunResult& result, const char* table, const char* name) {
  return number_column(find_experiment("mhla.certificate"), result.tables, table, name);
}

}  // namespace

TEST_CASE("orthogonal prompts leave 4 and 16 coefficients open, and 5 % Gaussian ones none") {
  for (const double d : {2.0, 3.0}) {
    CAPTURE(d);
    const RunResult result = run_preset("small", {{"keyDimension", d},
                                                  {"samples", d == 2 ? 600.0 : 1500.0},
                                                  {"shares", std::vector<double>{0, 0.05}}});
    CHECK(column(result, "eigenvalues", "rank")[0] == (d == 2 ? 36 : 110));
    CHECK(column(result, "eigenvalues", "rank")[1] == (d == 2 ? 40 : 126));
    CHECK(column(result, "eigenvalues", "minimumEigenvalue")[0] == 0);
    CHECK(column(result, "eigenvalues", "minimumEigenvalue")[1] > 0);
    CHECK(column(result, "eigenvalues", "ownDetermined")[0] == 1);
    CHECK(column(result, "eigenvalues", "otherDetermined")[0] == 0);
    CHECK(column(result, "eigenvalues", "otherDetermined")[1] == 1);
    // Least norm, random start, noise, unfinished; at share 0, then at 5 %.
    const auto& distance = column(result, "distances", "distance");
    CHECK(distance[0] < 1e-11);
    CHECK(distance[1] > 0.1);
    CHECK(distance[2] > 0.01);
    CHECK(distance[3] > 0.1);
    CHECK(distance[4] < 1e-11);
    CHECK(distance[5] < 1e-11);
  }
}

TEST_CASE("the listed data sets get their verdicts") {
  const RunResult result = run_preset(
      "small", {{"samples", 100.0}, {"unfinished", 1.0}, {"shares", std::vector<double>{1}}});
  const std::vector<double> rank{40, 40, 40, 28, 18, 4, 16, 20, 39};
  const std::vector<double> proven{-1, 40, -1, 28, -1, -1, 16, -1, -1};
  CHECK(column(result, "list", "rank") == rank);
  CHECK(column(result, "list", "provenRank") == proven);
  for (std::size_t i = 0; i < rank.size(); ++i) {
    CAPTURE(i);
    const bool passes = rank[i] == 40;
    CHECK((column(result, "list", "minimumEigenvalue")[i] > 0) == passes);
    CHECK(column(result, "list", "onData")[i] < 1e-11);
    CHECK((column(result, "list", "offData")[i] > 0.1) == !passes);
    CHECK(column(result, "list", "determined")[i] == (passes ? 1 : 0));
  }
  // One-hot: every <z_j, z_k> z_l with j < k is open, and nothing else: 24 of 40.
  CHECK(column(result, "open", "share").size() == 24);
}

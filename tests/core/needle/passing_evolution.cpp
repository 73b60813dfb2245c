#include "needle/passing_evolution.h"

#include <doctest/doctest.h>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "needle/bayes_evolution.h"
#include "reference.h"

using namespace attnlab;
using namespace attnlab::needle;
using attnlab::tests::close;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const Problem kSpiked{Model::kSpiked, 2, {3, 3}, .1};
const Problem kArgmax{Model::kMax, kInfinity, {3, 3}, .1};

using Path = std::vector<AmpState>;

Path theory(const Problem& problem, double ratio, const PassingOptions& options,
            std::uint64_t seed = 1) {
  PassingEvolution evolution(problem, ratio, options, RandomStream(seed, 1));
  while (!evolution.step()) {
  }
  return evolution.path();
}

// Mean and standard error of one number of a state over runs of AMP.
struct Runs {
  std::vector<Path> paths;
  Runs(const Problem& problem, double ratio, const AmpOptions& options, int replicates) {
    for (int r = 0; r < replicates; ++r) {
      MessagePassing run(problem, ratio, options, 3, static_cast<std::uint64_t>(r));
      while (!run.step()) {
      }
      REQUIRE(run.finite());
      paths.push_back(run.path());
    }
  }
  void compare(const Path& expected, double AmpState::* number, double allowance) const {
    const auto n = static_cast<double>(paths.size());
    for (std::size_t t = 0; t < expected.size(); ++t) {
      double sum = 0, squares = 0;
      for (const Path& path : paths) {
        REQUIRE(path.size() == expected.size());
        sum += path[t].*number;
        squares += path[t].*number * (path[t].*number);
      }
      const double mean = sum / n;
      const double error = std::sqrt(std::max(squares / n - mean * mean, 0.0) / (n - 1));
      CAPTURE(t);
      CHECK(close(mean, expected[t].*number, 0, 3.5 * error + allowance));
    }
  }
};

}  // namespace

TEST_CASE("without damping, overlap and power agree and follow the Bayes-optimal recursion") {
  for (const Problem& problem : {kSpiked, kArgmax}) {
    const Path path = theory(problem, 4, {20000, 8, 1, false});
    BayesOptions plain;
    plain.samples = 20000;
    plain.damping = 1;
    plain.tolerance = 0;
    plain.largest_iterations = 8;
    BayesEvolution bayes(problem, 4, plain, {1e-9, 1e-9}, RandomStream(2, 2));
    while (!bayes.step()) {
    }
    for (std::size_t t = 0; t < path.size(); ++t) {
      CAPTURE(t);
      CHECK(close(path[t].key, path[t].key_power, 0, .02));
      CHECK(close(path[t].value, path[t].value_power, 0, .02));
      CHECK(close(path[t].key, bayes.path()[t].key, 0, .02));
      CHECK(close(path[t].value, bayes.path()[t].value, 0, .02));
      CHECK(close(path[t].risk, bayes.risk(bayes.path()[t]), 0, .012));
    }
  }
}

TEST_CASE("damped message passing follows its state evolution in every iteration") {
  // Finite D adds some 1/D to each mean.
  AmpOptions amp;
  amp.dimension = 500;
  amp.iterations = 14;
  const Path expected = theory(kSpiked, 4, {20000, 14, amp.damping, false});
  // The first iteration by hand: all of b is alpha-independent of damping, so m = .8 q, Q = .64 q.
  const Path plain = theory(kSpiked, 4, {20000, 1, 1, false});
  CHECK(close(expected[1].key, .8 * plain[1].key, 0, 1e-9));
  CHECK(close(expected[1].value_power, .64 * plain[1].value_power, 0, 1e-9));
  CHECK(close(expected[1].risk, .688, 0, .004));
  // The overlap of the key dips while the value is learned: no recursion of one overlap does that.
  CHECK(expected[6].key < expected[4].key - .005);
  CHECK(expected[14].key > expected[6].key + .02);
  const Runs runs(kSpiked, 4, amp, 6);
  runs.compare(expected, &AmpState::key, .008);
  runs.compare(expected, &AmpState::key_power, .012);
  runs.compare(expected, &AmpState::value, .008);
  runs.compare(expected, &AmpState::value_power, .012);
  runs.compare(expected, &AmpState::risk, .006);
}

TEST_CASE("under the largest score too, from both starts") {
  AmpOptions amp;
  amp.dimension = 400;
  amp.iterations = 12;
  for (bool informed : {false, true}) {
    amp.informed = informed;
    const Path expected = theory(kArgmax, 4, {8000, 12, amp.damping, informed});
    const Runs runs(kArgmax, 4, amp, 5);
    runs.compare(expected, &AmpState::key, .012);
    runs.compare(expected, &AmpState::value, .012);
    runs.compare(expected, &AmpState::risk, .012);
  }
}

TEST_CASE("damped or not, it ends at the Bayes-optimal fixed point") {
  for (double damping : {.6, .8, 1.0}) {
    const Path path = theory(kSpiked, 4, {20000, 40, damping, false});
    CHECK(close(path.back().risk, .3810, 0, .002));
    CHECK(close(path.back().key, path.back().key_power, 0, .004));
    CHECK(close(path.back().value, path.back().value_power, 0, .004));
  }
}

TEST_CASE("fields that do not fit are refused before they are drawn") {
  CHECK_THROWS_WITH_AS(PassingEvolution(kSpiked, 4, {1000000, 1000, .8, false}, RandomStream(1, 1)),
                       doctest::Contains("samples"), Error);
}

#include "needle/state_evolution.h"

#include <doctest/doctest.h>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "needle/erm_simulation.h"
#include "reference.h"

using namespace attnlab;
using namespace attnlab::needle;
using attnlab::tests::close;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNoise = 0.1;

ErmProblem spiked(Index length, double snr, Kernel kernel, double ratio, double ridge) {
  return {{Model::kSpiked, snr, {length, length}, kNoise}, kernel, ratio, ridge, ridge};
}

ErmOptions options(Index samples) {
  ErmOptions made;
  made.samples = samples;
  return made;
}

}  // namespace

TEST_CASE("the state evolution has the reference test errors and order parameters") {
  // L-BFGS on drawn data: test error, its standard error, m_k, m_v.
  const struct {
    ErmProblem problem;
    Index samples;
    double risk, error, key, value;
  } rows[] = {
      {spiked(2, 2, Kernel::kSoftmax, 2, .1), 6000, .5024, .0085, .465, .966},
      {spiked(2, 2, Kernel::kSoftmax, 8, .1), 6000, .3332, .0061, 1.172, 1.056},
      {spiked(2, 2, Kernel::kLinear, 8, .1), 6000, .4823, .0045, .560, .379},
      {spiked(3, 2, Kernel::kLinear, 8, .1), 6000, .6860, .0069, .709, .275},
      {spiked(3, 2, Kernel::kSoftmax, 20, 1), 6000, .4069, .0021, .889, 1.029},
      {spiked(3, 2, Kernel::kLinear, 20, 1), 6000, .5270, .0026, .635, .284},
      {spiked(3, 2, Kernel::kSoftmax, 4, 1), 6000, .6024, .0020, .395, .705},
      {spiked(3, 2, Kernel::kLinear, 4, 1), 6000, .8050, .0030, .272, .333},
      {{{Model::kMax, kInfinity, {3, 3}, kNoise}, Kernel::kSoftmax, 4, .1, .1},
       4000,
       .3596,
       .0093,
       1.334,
       1.148},
  };
  for (const auto& row : rows) {
    const ErmResult result =
        erm_state_evolution(row.problem, options(row.samples), Start::kInformed, 3, 1);
    CAPTURE(row.risk);
    REQUIRE(result.verdict == Verdict::kConverged);
    CHECK(result.replicon < 1);
    // The sample's own bias at this size is below 0.003.
    CHECK(
        close(result.risk, row.risk, 0, 3 * std::hypot(row.error, result.standard_error) + 0.003));
    CHECK(close(result.order.key, row.key, 0.09, 0.02));
    CHECK(close(result.order.value, row.value, 0.06, 0.01));
  }
}

TEST_CASE("cells where the replica-symmetric iteration fails are reported and carry no number") {
  const ErmProblem cells[] = {
      spiked(3, 2, Kernel::kLinear, 4, .1),
      {{Model::kMax, kInfinity, {3, 3}, kNoise}, Kernel::kLinear, 4, .1, .1},
      spiked(2, 2, Kernel::kLinear, 2, .1),
      spiked(3, 1, Kernel::kSoftmax, 4, .1)};
  for (const auto& cell : cells) {
    const ErmResult result = erm_state_evolution(cell, options(2000), Start::kInformed, 3, 1);
    CAPTURE(verdict_name(result.verdict).data());
    CHECK(result.verdict != Verdict::kConverged);
    CHECK(std::isnan(result.risk));
  }
}

TEST_CASE("informed and uninformed starts reach the same fixed point at large ridge") {
  const ErmProblem problem = spiked(3, 2, Kernel::kSoftmax, 4, 1);
  const ErmResult informed = erm_state_evolution(problem, options(2000), Start::kInformed, 1, 3);
  const ErmResult uninformed =
      erm_state_evolution(problem, options(2000), Start::kUninformed, 1, 3);
  CHECK(close(informed.risk, uninformed.risk, 0, 1e-3));
}

TEST_CASE("the same seed gives the same bits and another seed another sample") {
  const ErmProblem problem = spiked(2, 2, Kernel::kLinear, 8, 1);
  const double first = erm_state_evolution(problem, options(500), Start::kInformed, 2, 5).risk;
  CHECK(first == erm_state_evolution(problem, options(500), Start::kInformed, 2, 5).risk);
  CHECK(first != erm_state_evolution(problem, options(500), Start::kInformed, 2, 6).risk);
}

TEST_CASE("minimised data sets at finite size agree with the state evolution") {
  for (const Kernel kernel : {Kernel::kSoftmax, Kernel::kLinear}) {
    const ErmProblem problem = spiked(3, 2, kernel, 20, 1);
    const ErmResult theory = erm_state_evolution(problem, options(4000), Start::kInformed, 3, 2);
    double sum = 0, squares = 0;
    const int replicates = 8;
    for (int r = 0; r < replicates; ++r) {
      ErmSimulationOptions simulation;
      simulation.dimension = 60;
      simulation.risk_samples = 5000;
      ErmSimulation run(problem, simulation, 4, static_cast<std::uint64_t>(r));
      while (!run.step()) {
      }
      sum += run.result().risk / replicates;
      squares += run.result().risk * run.result().risk / replicates;
    }
    const double error = std::sqrt((squares - sum * sum) / (replicates - 1));
    CHECK(close(sum, theory.risk, 0, 3.5 * std::hypot(error, theory.standard_error) + 0.004));
  }
}

TEST_CASE("gradient descent and L-BFGS end at the same minimum") {
  const ErmProblem problem = spiked(2, 2, Kernel::kSoftmax, 8, 1);
  double energy[2];
  for (const Trainer trainer : {Trainer::kLbfgs, Trainer::kGradientDescent}) {
    ErmSimulationOptions simulation;
    simulation.dimension = 40;
    simulation.trainer = trainer;
    simulation.risk_samples = 1000;
    ErmSimulation run(problem, simulation, 6, 0);
    while (!run.step()) {
    }
    energy[trainer == Trainer::kLbfgs ? 0 : 1] = run.result().energy;
  }
  CHECK(close(energy[0], energy[1], 1e-5, 0));
}

TEST_CASE("finite-sample problems that make no sense are refused by name") {
  const auto refused = [](const ErmProblem& problem, const char* name) {
    CHECK_THROWS_WITH_AS(validate(problem), doctest::Contains(name), Error);
  };
  refused(spiked(3, 2, Kernel::kSoftmax, 0, 1), "ratio");
  refused(spiked(3, 2, Kernel::kSoftmax, 4, 0), "ridgeKeys");
  refused(spiked(9, 2, Kernel::kSoftmax, 4, 1), "length");
  refused(spiked(3, 2, Kernel::kErf, 4, 1), "kernel");
  ErmSimulationOptions huge;
  huge.dimension = 4000;
  CHECK_THROWS_WITH_AS(ErmSimulation(spiked(3, 2, Kernel::kSoftmax, 20, 1), huge, 1, 1),
                       doctest::Contains("dimension"), Error);
}

TEST_CASE("the standard error of one stream is unknown, of two it is a number") {
  const ErmProblem problem = spiked(2, 2, Kernel::kSoftmax, 8, 1);
  const auto error_of = [&](Index streams) {
    const auto result = erm_state_evolution(problem, options(1000), Start::kInformed, streams, 1);
    REQUIRE(result.verdict == Verdict::kConverged);
    return result.standard_error;
  };
  CHECK(std::isnan(error_of(1)));
  CHECK(error_of(2) > 0);
}

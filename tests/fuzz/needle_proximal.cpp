// The proximal step of the state evolution: no point near it or at the fields has less energy.
#include "needle/proximal.h"

#include <algorithm>
#include <cmath>

#include "problems.h"
#include "target.h"

namespace attnlab::fuzz {
namespace {

using namespace attnlab::needle;

constexpr Index kMost = kLargestEvolutionLength;

void check_point(const ProximalSolver& solver, const ProximalProblem& problem, Index length) {
  ProximalPoint point;
  solver.solve(problem, point);
  for (Index l = 0; l < length; ++l) {
    expect_finite(point.scores[l], "a score");
    expect_finite(point.weights[l], "a weight");
    expect_finite(point.outputs[l], "an output");
  }
  const double least = solver.energy(problem, point.scores);
  const double at_fields = solver.energy(problem, problem.key_field);
  expect(least <= at_fields + 1e-9 * (1 + std::fabs(at_fields)),
         "the fields have less energy, " + show(at_fields) + " and not " + show(least) + ": " +
             show_matrix(Eigen::Map<const Matrix>(problem.key_field, 1, length)) + " and " +
             show_matrix(Eigen::Map<const Matrix>(problem.value_field, 1, length)) + ", label " +
             show(problem.label));
  ProximalResponse response;
  if (!solver.respond(problem, point, response)) return;
  for (const double part : {response.key_trace, response.value_trace, response.key_key,
                            response.key_value, response.value_value, response.label_slope})
    expect_finite(part, "a response");
}

void run(Input& input) {
  const Kernel kernel = input.byte() < 8 ? draw_kernel(input)
                        : input.flag()   ? Kernel::kSoftmax
                                         : Kernel::kLinear;
  const Index length = input.byte() == 5 ? input.count(0, 12) - 1 : input.count(1, kMost);
  // Variances that an evolution can reach; others must be refused.
  const auto variance = [&] {
    return input.byte() < 16 ? input.number() : std::exp(input.between(-9, 7));
  };
  const double key_variance = variance();
  const double value_variance = variance();
  double key_field[kMost], value_field[kMost];
  for (Index l = 0; l < kMost; ++l) {
    key_field[l] = 4 * input.plain();
    value_field[l] = 4 * input.plain();
  }
  const double label = 4 * input.plain();
  accepted([&] {
    const ProximalSolver solver(kernel, length, key_variance, value_variance);
    const bool usual = std::fmax(key_variance, value_variance) < 1e20 &&
                       std::fmin(key_variance, value_variance) > 1e-20;
    if (usual) check_point(solver, {key_field, value_field, label}, length);
  });
}

const Target kTarget("needle_proximal", run);

}  // namespace
}  // namespace attnlab::fuzz

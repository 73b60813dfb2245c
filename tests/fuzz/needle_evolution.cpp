// State evolution of empirical risk minimisation and of Bayes, on small samples: a verdict, and a
// finite risk where it is "converged".
#include <cmath>

#include "needle/bayes_evolution.h"
#include "needle/state_evolution.h"
#include "problems.h"
#include "target.h"

namespace attnlab::fuzz {
namespace {

using namespace attnlab::needle;

template <class Found>
void check_risk(const Found& found) {
  expect(found.verdict != Verdict::kRunning, "no verdict");
  const bool converged = found.verdict == Verdict::kConverged;
  expect(converged == std::isfinite(found.risk), "the risk does not go with the verdict");
  if (converged) expect(found.risk >= -1e-6, "the risk is below 0: " + show(found.risk));
}

template <class Streams>
void run_to_end(Streams& streams) {
  double progress = 0;
  for (int steps = 0; !streams.step(); ++steps) {
    expect(steps < 20000, "the evolution does not end");
    expect(streams.progress() >= progress && streams.progress() <= 1, "progress falls");
    progress = streams.progress();
  }
}

double draw_size(Input& input, double low, double high) {
  return input.byte() < 12 ? input.number()
                           : std::exp(input.between(std::log(low), std::log(high)));
}

void check_erm(Input& input, const Problem& problem, Start start) {
  ErmProblem erm;
  erm.problem = problem;
  erm.kernel = input.byte() < 8 ? draw_kernel(input)
               : input.flag()   ? Kernel::kSoftmax
                                : Kernel::kLinear;
  erm.ratio = draw_size(input, 0.01, 1000);
  erm.ridge_keys = draw_size(input, 1e-3, 1000);
  erm.ridge_values = draw_size(input, 1e-3, 1000);
  ErmOptions options;
  options.samples = 100;
  options.largest_iterations = 40;
  ErmStreams streams(erm, options, start, input.count(1, 2), input.word());
  run_to_end(streams);
  check_risk(streams.result());
}

void check_bayes(Input& input, const Problem& problem, Start start) {
  BayesOptions options;
  options.samples = 100;
  options.largest_iterations = 20;
  BayesStreams streams(problem, draw_size(input, 0.01, 1000), options, start, input.count(1, 2),
                       input.word());
  run_to_end(streams);
  check_risk(streams.result());
}

void run(Input& input) {
  const bool erm = input.flag();
  const Start start = input.flag() ? Start::kInformed : Start::kUninformed;
  accepted([&] {
    const Problem problem = draw_problem(input, 4);
    if (erm)
      check_erm(input, problem, start);
    else
      check_bayes(input, problem, start);
  });
}

const Target kTarget("needle_evolution", run);

}  // namespace
}  // namespace attnlab::fuzz

// needle/ for JavaScript.
#include <emscripten/bind.h>

#include <functional>
#include <memory>
#include <utility>

#include "core/nearest_name.h"
#include "core/require.h"
#include "core/result.h"
#include "needle/bayes_evolution.h"
#include "needle/monte_carlo_risk.h"
#include "needle/population_risk.h"
#include "needle/state_evolution.h"
#include "wasm/boundary.h"
#include "wasm/long_call.h"

namespace attnlab::wasm {
namespace {

needle::Problem read_problem(const val& request) {
  needle::Problem problem;
  problem.model = needle::model_named(read_text(request, "model"));
  problem.snr = read_number(request, "snr");
  problem.noise = read_number(request, "noise");
  constexpr Index kMost = 1000;
  problem.lengths.minimum = require_count(read_number(request, "length"), 1, kMost, "length");
  problem.lengths.maximum =
      require_count(read_number(request, "longest"), problem.lengths.minimum, kMost, "length");
  needle::validate(problem);
  return problem;
}

val write_risk(double risk, double standard_error) {
  val result = val::object();
  result.set("risk", risk);
  result.set("standardError", standard_error);
  return result;
}

val bayes_risk(const val& request) {
  return guarded([&] {
    const auto found = needle::bayes_risk(read_problem(request));
    return write_risk(found.risk, found.standard_error);
  });
}

// Steps `Work` (step, progress, result) and writes its result by `write`.
template <class Work, auto write>
class SteppedCall final : public LongCall {
 public:
  template <class... Arguments>
  explicit SteppedCall(Arguments&&... arguments) : work_(std::forward<Arguments>(arguments)...) {}
  bool step() override { return work_.step(); }
  double progress() const override { return work_.progress(); }
  val result() override { return write(work_.result()); }

 private:
  Work work_;
};

// A call whose work is one short piece.
class SingleStepCall final : public LongCall {
 public:
  explicit SingleStepCall(std::function<val()> work) : work_(std::move(work)) {}
  bool step() override {
    result_ = work_();
    return true;
  }
  double progress() const override { return 0; }
  val result() override { return result_; }

 private:
  std::function<val()> work_;
  val result_;
};

val write_optimum(const needle::OptimalRisk& found) {
  val parameters = val::object();
  parameters.set("scale", found.scale);
  parameters.set("bias", found.bias);
  parameters.set("output", found.output);
  val result = write_risk(found.risk, found.standard_error);
  result.set("parameters", parameters);
  return result;
}

// The risk at given parameters on the manifold k = scale k* + noise, v = output v*.
val risk_at(const needle::Problem& problem, needle::Kernel kernel, const val& parameters) {
  needle::KeyAlignment alignment;
  alignment.scale = read_number(parameters, "scale");
  alignment.noise = read_number(parameters, "keyNoise");
  alignment.bias = read_number(parameters, "bias");
  const needle::MomentEvaluator evaluator(problem, kernel);
  const auto moments = evaluator.at(alignment);
  if (has(parameters, "output")) require_finite(read_number(parameters, "output"), "output");
  const double output =
      has(parameters, "output") ? read_number(parameters, "output") : moments.best_output();
  // No attention at all: every output is as good. The weights of erf are above 0, but may be below
  // what a double can tell.
  const bool none = !(moments.square > 0);
  if (!std::isfinite(output) || (none && kernel == needle::Kernel::kErf))
    fail(ErrorCode::kDomain, "parameters", "leave no token any weight, so no output is the best");
  // risk = best + B (m_v - A / B)^2, which stays accurate near the best output.
  const double off = none ? 0 : output - moments.best_output();
  val used = val::object();
  used.set("scale", alignment.scale);
  used.set("bias", alignment.bias);
  used.set("output", output);
  const double risk = moments.best_risk() + moments.square * off * off;
  require_result(risk, "output");
  val result = write_risk(risk, 0);
  result.set("parameters", used);
  return result;
}

std::unique_ptr<LongCall> begin_population_risk(const val& request) {
  const auto problem = read_problem(request);
  const auto kernel = needle::kernel_named(read_text(request, "kernel"));
  if (read_flag(request, "optimize"))
    return std::make_unique<SteppedCall<needle::OptimalRiskSearch, write_optimum>>(problem, kernel);
  const val parameters = request["parameters"];
  return std::make_unique<SingleStepCall>([=] { return risk_at(problem, kernel, parameters); });
}

needle::Start read_start(const val& request) {
  const auto name = read_text(request, "start");
  if (name == "informed") return needle::Start::kInformed;
  if (name == "uninformed") return needle::Start::kUninformed;
  fail_unknown("start", name, {"informed", "uninformed"});
}

template <class Found>
val write_evolution(const Found& found, const val& order) {
  val result = write_risk(found.risk, found.standard_error);
  result.set("order", order);
  result.set("converged", found.verdict == needle::Verdict::kConverged);
  result.set("verdict", val(std::string(needle::verdict_name(found.verdict))));
  result.set("iterations", static_cast<double>(found.iterations));
  return result;
}

val write_erm(const needle::ErmResult& found) {
  val order = val::object();
  order.set("key", found.order.key);
  order.set("keyPower", found.order.key_power);
  order.set("keyVariance", found.order.key_variance);
  order.set("value", found.order.value);
  order.set("valuePower", found.order.value_power);
  order.set("valueVariance", found.order.value_variance);
  val result = write_evolution(found, order);
  result.set("trainingLoss", found.train_loss);
  result.set("replicon", found.replicon);
  return result;
}

val write_bayes(const needle::BayesResult& found) {
  val order = val::object();
  order.set("key", found.order.key);
  order.set("value", found.order.value);
  return write_evolution(found, order);
}

std::unique_ptr<LongCall> begin_state_evolution(const val& request) {
  const auto estimator = read_text(request, "estimator");
  const auto problem = read_problem(request);
  const auto start = read_start(request);
  const auto seed = read_seed(request, "seed");
  const Index streams = require_count(read_number(request, "streams"), 1, 1000, "streams");
  const Index samples = require_count(read_number(request, "samples"), 100, 1000000, "samples");
  const double ratio = read_number(request, "ratio");
  if (estimator == "bayes") {
    needle::BayesOptions options;
    options.samples = samples;
    return std::make_unique<SteppedCall<needle::BayesStreams, write_bayes>>(problem, ratio, options,
                                                                            start, streams, seed);
  }
  if (estimator != "erm") fail_unknown("estimator", estimator, {"erm", "bayes"});
  needle::ErmProblem erm;
  erm.problem = problem;
  erm.kernel = needle::kernel_named(read_text(request, "kernel"));
  erm.ratio = ratio;
  erm.ridge_keys = read_number(request, "ridgeKeys");
  erm.ridge_values = read_number(request, "ridgeValues");
  needle::validate(erm);
  needle::ErmOptions options;
  options.samples = samples;
  return std::make_unique<SteppedCall<needle::ErmStreams, write_erm>>(erm, options, start, streams,
                                                                      seed);
}

const LongCallRegistration risk_registration("needlePopulationRisk", &begin_population_risk);
const LongCallRegistration evolution_registration("needleStateEvolution", &begin_state_evolution);

}  // namespace

EMSCRIPTEN_BINDINGS(attnlab_needle) {
  emscripten::function("needleBayesRisk", &bayes_risk);
}

}  // namespace attnlab::wasm

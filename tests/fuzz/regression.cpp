// Losses and flows of in-context regression.
#include <cmath>
#include <vector>

#include "regression/finite_prompt.h"
#include "regression/infinite_prompt.h"
#include "regression/linear_attention.h"
#include "regression/multi_task.h"
#include "target.h"

namespace attnlab::fuzz {
namespace {

using namespace attnlab::regression;

Matrix draw_covariance(Input& input, Index d) {
  const Matrix root = input.matrix(d, d);
  return input.byte() < 32 ? root : Matrix(root * root.transpose());
}

Head draw_head(Input& input, Index d) {
  return {input.matrix(d, d), input.number()};
}

void check_infinite(Input& input, Index d) {
  const Matrix root = input.matrix(d, d);
  const Matrix covariance = root * root.transpose();
  const auto found = infinite_prompt(covariance, draw_head(input, d));
  // A loss beyond the range is Infinity: training stops there as diverged.
  const double size = std::fabs(found.loss);
  if (std::isfinite(size)) expect(found.loss >= -1e-9 * (1 + size), "the loss is below 0");
}

void check_limit(Input& input, Index d) {
  const Matrix covariance = draw_covariance(input, d);
  const Head limit = flow_limit(covariance);
  expect_finite(limit.A, "the flow's limit");
  expect_finite(limit.b, "the flow's limit");
}

void check_flow(Input& input, Index d) {
  const Matrix covariance = kcm_covariance(d, input.between(-0.9, 0.9));
  const Head head = {input.plain_matrix(d, d) / 4, input.plain() / 4};
  std::vector<double> times;
  for (Index count = input.count(0, 3); count > 0; --count)
    times.push_back(input.flag() ? input.between(0, 3) : input.number());
  const auto states = infinite_flow(covariance, head, times, 1e-6);
  expect(states.size() == times.size(), "as many states as times");
  for (const auto& state : states) {
    expect_finite(state.A, "a state");
    const double kept = flow_invariant(state) - flow_invariant(head);
    expect_between(0, kept, 0, 1e-3 * (1 + state.A.squaredNorm()), "what the flow keeps");
  }
}

void check_finite(Input& input, Index d) {
  PromptLaw law;
  law.covariance = draw_covariance(input, d);
  law.task_variance = input.flag() ? 1.0 : input.number();
  law.label_variance = input.flag() ? 0.0 : input.number();
  law.noisy_targets = input.flag();
  RandomStream random(input.word(), 4);
  const auto prompts = draw_prompts(law, input.count(0, 4), input.count(0, 8), random);
  const auto found = finite_prompt(prompts, draw_head(input, d));
  expect(found.A.rows() == d && found.A.cols() == d, "the gradient's shape");
  const double ridge = input.number();
  expect(ridge_predictions(prompts, ridge).size() == prompts.queries.rows(), "the predictions");
}

void check_linear(Input& input, Index d) {
  LinearSetting setting;
  setting.covariance = draw_covariance(input, d);
  setting.length = input.flag() ? 8.0 : input.number();
  setting.task_variance = input.flag() ? 1.0 : input.number();
  setting.label_variance = input.flag() ? 0.0 : input.number();
  const Matrix best = linear_optimum(setting);
  if (setting.covariance.cwiseAbs().maxCoeff() > 1e3) return;
  const double least = linear_risk(setting, best);
  const Matrix other = best + 0.25 * input.plain_matrix(d, d);
  const double worse = linear_risk(setting, other);
  if (std::isfinite(least) && std::isfinite(worse))
    expect(least <= worse + 1e-9 * (1 + std::fabs(worse)), "another P has less risk");
}

void check_tasks(Input& input, Index heads) {
  TaskSetting setting;
  const Index tasks = input.count(0, 4);
  setting.dimensions = input.vector(tasks);
  setting.length = input.flag() ? 100.0 : input.number();
  setting.label_variance = input.flag() ? 0.0 : input.number();
  const TaskHeads state{input.matrix(heads, tasks), input.matrix(heads, tasks)};
  const auto found = task_loss(setting, state);
  expect(found.task_losses.size() == tasks, "a loss a task");
  expect(found.omega.rows() == heads && found.mu.cols() == tasks, "the gradient's shape");
  expect(!(first_order_task_loss(setting, state) < -1e-3), "a first-order loss below 0");
}

void run(Input& input) {
  static constexpr void (*kChecks[])(Input&, Index) = {check_infinite, check_limit,  check_flow,
                                                       check_finite,   check_linear, check_tasks};
  const auto check = input.one_of(kChecks);
  const Index d = input.count(0, 4);
  accepted([&] { check(input, d); });
}

const Target kTarget("regression", run);

}  // namespace
}  // namespace attnlab::fuzz

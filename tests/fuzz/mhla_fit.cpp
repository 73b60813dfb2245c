// The least-squares fit, by every method, on any data.
#include "mhla/fit.h"

#include <cmath>
#include <utility>

#include "prompts.h"
#include "target.h"

namespace attnlab::fuzz {
namespace {

mhla::FitOptions draw_options(Input& input, Index samples) {
  using mhla::FitMethod;
  static constexpr FitMethod kMethods[] = {FitMethod::kAuto, FitMethod::kCholesky, FitMethod::kTsqr,
                                           FitMethod::kSvd, FitMethod::kDual};
  mhla::FitOptions options;
  options.method = input.one_of(kMethods);
  options.ridge = input.flag() ? 0.0 : input.number();
  if (input.byte() < 64) options.weights = input.vector(samples);
  options.heads = input.flag();
  if (input.byte() < 8) options.memory_limit = input.number();
  return options;
}

// The weighted mean of |y|^2: what the model that is 0 everywhere leaves.
double squared_targets(const Matrix& targets, const Vector& weights) {
  if (weights.size() == 0) return targets.squaredNorm() / static_cast<double>(targets.rows());
  const Vector share = weights / weights.maxCoeff();
  return targets.rowwise().squaredNorm().dot(share) / share.sum();
}

void check(const mhla::FitResult& found, const Matrix& targets, const Vector& weights) {
  expect(found.coefficients.rows() == targets.cols(), "the coefficients' rows");
  expect(found.coefficients.cols() == found.dimension, "the coefficients' columns");
  expect_finite(found.coefficients, "a coefficient");
  expect_finite(found.training_error, "the training error");
  expect_finite(found.singular_values, "a singular value");
  expect(found.rank >= 0 && found.rank <= found.dimension, "the rank");
  for (const auto& head : found.heads) {
    expect_finite(head.value, "a head's value");
    expect_finite(head.query, "a head's query");
  }
  const double zero = squared_targets(targets, weights);
  expect_between(0, found.training_error, zero, 1e-6 * zero, "the training error");
}

void run(Input& input) {
  accepted([&] {
    const Index d = input.count(1, 3);
    auto samples = draw_samples(input, d, 24, "prompts");
    const Index rows = input.byte() == 5 ? input.count(0, 30) : samples.count();
    const Matrix targets = input.matrix(rows, input.count(0, 3));
    const auto options = draw_options(input, samples.count());
    mhla::Fit fit(std::move(samples), targets, options);
    double progress = 0;
    for (int steps = 0; !fit.step(); ++steps) {
      expect(fit.progress() >= progress && fit.progress() <= 1, "progress falls");
      progress = fit.progress();
      expect(steps < 100000, "the fit does not end");
    }
    check(fit.result(), targets, options.weights);
  });
}

const Target kTarget("mhla_fit", run);

}  // namespace
}  // namespace attnlab::fuzz

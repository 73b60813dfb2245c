// Heads, features, predictions, and heads from W.
#include "mhla/model.h"

#include <cmath>

#include "mhla/heads.h"
#include "mhla/predict.h"
#include "prompts.h"
#include "target.h"

namespace attnlab::fuzz {
namespace {

mhla::Heads draw_heads(Input& input, Index d) {
  mhla::Heads heads(static_cast<std::size_t>(input.count(0, 3)));
  const Index outputs = input.count(0, 3);
  for (auto& head : heads) {
    head.value = input.matrix(outputs, d);
    head.query = input.matrix(d, d);
  }
  return heads;
}

void check_apply(Input& input, const mhla::Prompts& prompts) {
  static constexpr mhla::OutputMode kModes[] = {mhla::OutputMode::kLast, mhla::OutputMode::kFull,
                                                mhla::OutputMode::kPrefix};
  const auto mode = input.one_of(kModes);
  const auto heads = draw_heads(input, prompts.dimension());
  for (Index i = 0; i < prompts.count(); ++i)
    expect_finite(mhla::apply(heads, prompts.prompt(i), mode), "an output");
}

void check_predict(Input& input, const mhla::Samples& samples) {
  const Matrix coefficients =
      input.matrix(input.count(0, 3), mhla::feature_count(samples.dimension()));
  expect_finite(mhla::features(samples), "a feature");
  expect_finite(mhla::predict(coefficients, samples), "a prediction");
}

// The heads of W put W together again.
void check_split(Input& input, Index d) {
  const Index outputs = input.count(1, 3);
  const Matrix w = input.matrix(outputs * d, d * d);
  // Products of a subnormal W with anything have no digits.
  if (!w.allFinite() || w.cwiseAbs().maxCoeff() > 1e300 ||
      (w.array() != 0 && w.array().abs() < 1e-290).any())
    return;
  const auto split = mhla::split_heads(w, d);
  expect_finite(split.singular_values, "a singular value");
  Matrix sum = Matrix::Zero(w.rows(), w.cols());
  for (const auto& head : split.heads) {
    const Eigen::Map<const Vector> value(head.value.data(), head.value.size());
    const Eigen::Map<const Vector> query(head.query.data(), head.query.size());
    sum += value * query.transpose();
  }
  const double size = w.cwiseAbs().maxCoeff();
  expect((sum - w).cwiseAbs().maxCoeff() <= 1e-10 * size,
         "the heads are not those of W, " + show_matrix(w));
}

void run(Input& input) {
  const Index d = input.count(1, 4);
  accepted([&] { check_apply(input, draw_prompts(input, d, 3, "prompts")); });
  accepted([&] { check_predict(input, draw_samples(input, d, 3, "prompts")); });
  accepted([&] { check_split(input, input.count(1, 3)); });
}

const Target kTarget("mhla_model", run);

}  // namespace
}  // namespace attnlab::fuzz

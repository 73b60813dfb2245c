// The predictors of single-location regression and their gradients.
#include "needle/predictor.h"

#include <cmath>
#include <vector>

#include "problems.h"
#include "target.h"

namespace attnlab::fuzz {
namespace {

using namespace attnlab::needle;

double largest(const MatrixRef& matrix) {
  return matrix.size() == 0 ? 0 : matrix.cwiseAbs().maxCoeff();
}

void check_predict(Input& input, Kernel kernel) {
  const Index D = input.count(0, 5);
  const Matrix tokens = input.matrix(input.count(0, 6), D);
  const Vector key = input.vector(input.byte() == 3 ? D + 1 : D);
  const Vector value = input.vector(D);
  const double bias = input.number();
  accepted([&] {
    const auto found = predict_gradient(kernel, tokens, key, value, bias);
    // Training runs away before it is found to: only what is of some size must stay finite.
    const double size = std::fmax(largest(tokens), std::fmax(largest(key), largest(value)));
    if (!(size < 1e50)) return;
    expect_finite(found.prediction, "a prediction");
    expect_finite(found.key, "the gradient of the key");
    expect_finite(found.value, "the gradient of the value");
    expect_finite(found.bias, "the gradient of the bias");
  });
}

// Scores of any size that a prompt can give: the weights stay what they are by definition.
void check_weights(Input& input, Kernel kernel) {
  const Index length = input.count(1, 9);
  Vector scores(length);
  for (Index l = 0; l < length; ++l)
    scores(l) = input.flag() ? input.plain() : input.between(-1e4, 1e4);
  const double bias = input.plain();
  Vector weights(length), slopes(length);
  attend(kernel, bias, scores.data(), length, weights.data());
  expect_finite(weights, "a weight");
  if (is_normalised(kernel)) {
    expect(weights.minCoeff() >= 0, "a weight is below 0");
    const bool none = kernel == Kernel::kRelu && scores.maxCoeff() <= 0;
    expect_between(none ? 0 : 1, weights.sum(), none ? 0 : 1, 1e-12, "the sum of the weights");
  }
  const Vector seed = input.plain_matrix(length, 1).col(0);
  attend_backward(kernel, bias, scores.data(), weights.data(), seed.data(), length, slopes.data());
  expect_finite(slopes, "a slope");
  expect_finite(attend_bias_gradient(kernel, bias, scores.data(), seed.data(), length),
                "the slope of the bias");
}

void run(Input& input) {
  const Kernel kernel = draw_kernel(input);
  if (input.flag())
    check_predict(input, kernel);
  else
    check_weights(input, kernel);
}

const Target kTarget("needle_predictor", run);

}  // namespace
}  // namespace attnlab::fuzz

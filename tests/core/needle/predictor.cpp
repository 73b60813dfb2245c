#include "needle/predictor.h"

#include <doctest/doctest.h>
#include <cmath>
#include <functional>
#include <string>

#include "core/error.h"
#include "core/random.h"
#include "reference.h"

using namespace attnlab;
using namespace attnlab::needle;
using attnlab::tests::close;

namespace {

double slope(const std::function<double(double)>& function) {
  const double h = 1e-5;
  return (function(h) - function(-h)) / (2 * h);
}

}  // namespace

TEST_CASE("gradients of every predictor agree with differences") {
  RandomStream random(3, 1);
  const Matrix tokens = random.gaussian_matrix(4, 6);
  const Vector key = random.gaussian_vector(6), value = random.gaussian_vector(6);
  for (const auto& name : kernel_names()) {
    const Kernel kernel = kernel_named(name);
    CAPTURE(name);
    const double bias = -0.3;
    const PredictionGradient gradient = predict_gradient(kernel, tokens, key, value, bias);
    CHECK(close(gradient.prediction, predict(kernel, tokens, key, value, bias), 1e-14, 1e-15));
    for (Index i = 0; i < 6; ++i) {
      const auto moved_key = [&](double h) {
        Vector moved = key;
        moved[i] += h;
        return predict(kernel, tokens, moved, value, bias);
      };
      const auto moved_value = [&](double h) {
        Vector moved = value;
        moved[i] += h;
        return predict(kernel, tokens, key, moved, bias);
      };
      CHECK(close(gradient.key[i], slope(moved_key), 1e-7, 1e-9));
      CHECK(close(gradient.value[i], slope(moved_value), 1e-7, 1e-9));
    }
    const auto moved_bias = [&](double h) { return predict(kernel, tokens, key, value, bias + h); };
    CHECK(close(gradient.bias, slope(moved_bias), 1e-7, 1e-9));
  }
}

TEST_CASE("weights follow their definitions") {
  const double scores[3] = {0.5, -1, 2};
  double weights[3];
  attend(Kernel::kSoftmax, 0, scores, 3, weights);
  const double sum = std::exp(0.5) + std::exp(-1) + std::exp(2);
  CHECK(close(weights[2], std::exp(2) / sum, 1e-14, 0));
  attend(Kernel::kLinear, 0, scores, 3, weights);
  CHECK(weights[1] == 0);
  attend(Kernel::kCentredLinear, 0, scores, 3, weights);
  CHECK(close(weights[0], 1, 1e-15, 0));
  attend(Kernel::kErf, 0.25, scores, 3, weights);
  CHECK(close(weights[0], 1 + std::erf(0.75), 1e-14, 0));
  attend(Kernel::kErfToken, 0, scores, 3, weights);
  CHECK(close(weights[1], std::erf(-1.0), 1e-14, 0));
  attend(Kernel::kRelu, 0, scores, 3, weights);
  CHECK(weights[1] == 0);
  CHECK(close(weights[2], 0.8, 1e-15, 0));
  attend(Kernel::kSoftplus, 0, scores, 3, weights);
  const double soft =
      std::log1p(std::exp(0.5)) + std::log1p(std::exp(-1)) + std::log1p(std::exp(2));
  CHECK(close(weights[1], std::log1p(std::exp(-1)) / soft, 1e-14, 0));
}

TEST_CASE("normalised weights stay finite and sum to one for scores up to 1e4") {
  const double far[][3] = {{1e4, -1e4, 0}, {-1e4, -1e4 + 1, -1e4}, {1e4, 1e4, 1e4}};
  for (const auto& scores : far)
    for (const Kernel kernel : {Kernel::kSoftmax, Kernel::kSoftplus}) {
      double weights[3];
      attend(kernel, 0, scores, 3, weights);
      CHECK(close(weights[0] + weights[1] + weights[2], 1, 1e-14, 0));
      double back[3];
      const double seed[3] = {1, 2, 3};
      attend_backward(kernel, 0, scores, weights, seed, 3, back);
      CHECK(std::isfinite(back[0] + back[1] + back[2]));
    }
}

TEST_CASE("relu gives no weight where no score is positive") {
  const double scores[2] = {-1, -2};
  double weights[2];
  attend(Kernel::kRelu, 0, scores, 2, weights);
  CHECK(weights[0] == 0);
  CHECK(weights[1] == 0);
}

TEST_CASE("unknown kernels and wrong shapes are refused by name") {
  CHECK_THROWS_WITH_AS(kernel_named("sofmax"), doctest::Contains("softmax"), Error);
  CHECK_THROWS_WITH_AS(
      predict(Kernel::kLinear, Matrix::Ones(2, 3), Vector::Ones(2), Vector::Ones(3)),
      doctest::Contains("key"), Error);
  CHECK_THROWS_WITH_AS(
      predict(Kernel::kLinear, Matrix::Ones(0, 3), Vector::Ones(3), Vector::Ones(3)),
      doctest::Contains("tokens"), Error);
  CHECK_THROWS_WITH_AS(predict(Kernel::kLinear, Matrix::Ones(2, 3), Vector::Ones(3),
                               Vector::Constant(3, std::nan(""))),
                       doctest::Contains("value"), Error);
}

TEST_CASE("tokens without an entry are refused") {
  const Vector nothing;
  for (const auto& name : kernel_names()) {
    CAPTURE(name);
    CHECK_THROWS_AS(predict(kernel_named(name), Matrix(2, 0), nothing, nothing), Error);
    CHECK_THROWS_AS(predict_gradient(kernel_named(name), Matrix(2, 0), nothing, nothing), Error);
  }
}

#include "needle/predictor.h"

#include <cmath>

#include "core/error.h"
#include "core/nearest_name.h"
#include "core/portable.h"
#include "core/require.h"
#include "core/special.h"
#include "needle/row_products.h"

namespace attnlab::needle {

namespace {

constexpr double kTwoOverRootPi = 1.1283791670955126;

double erf_slope(double x) {
  return kTwoOverRootPi * portable::exp(-x * x);
}

void divide_by_sum(double* weights, Index length) {
  double sum = 0;
  for (Index l = 0; l < length; ++l)
    sum += weights[l];
  const double factor = sum > 0 ? 1 / sum : 0.0;
  for (Index l = 0; l < length; ++l)
    weights[l] *= factor;
}

double sum_of_softplus(const double* scores, Index length) {
  double sum = 0;
  for (Index l = 0; l < length; ++l)
    sum += softplus(scores[l]);
  return sum;
}

double sum_of_positive(const double* scores, Index length) {
  double sum = 0;
  for (Index l = 0; l < length; ++l)
    sum += std::fmax(scores[l], 0.0);
  return sum;
}

}  // namespace

const std::vector<std::string>& kernel_names() {
  static const std::vector<std::string> kNames = {
      "softmax", "linear", "erf", "softplus", "relu", "centred-linear", "erf-token"};
  return kNames;
}

Kernel kernel_named(std::string_view name) {
  const auto& names = kernel_names();
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) return static_cast<Kernel>(i);
  fail_unknown("kernel", name, names);
}

std::string_view kernel_name(Kernel kernel) {
  return kernel_names()[static_cast<std::size_t>(kernel)];
}

bool is_elementwise(Kernel kernel) {
  return kernel == Kernel::kLinear || kernel == Kernel::kErf || kernel == Kernel::kErfToken;
}

bool is_normalised(Kernel kernel) {
  return kernel == Kernel::kSoftmax || kernel == Kernel::kSoftplus || kernel == Kernel::kRelu;
}

void attend(Kernel kernel, double bias, const double* scores, Index length, double* weights) {
  switch (kernel) {
    case Kernel::kSoftmax: {
      double largest = scores[0];
      for (Index l = 1; l < length; ++l)
        largest = std::fmax(largest, scores[l]);
      for (Index l = 0; l < length; ++l)
        weights[l] = portable::exp(scores[l] - largest);
      divide_by_sum(weights, length);
      return;
    }
    case Kernel::kSoftplus: {
      // Where every score is far below 0 the sum underflows; softplus is then e^chi.
      double largest = scores[0];
      for (Index l = 1; l < length; ++l)
        largest = std::fmax(largest, scores[l]);
      if (largest < -700) return attend(Kernel::kSoftmax, bias, scores, length, weights);
      for (Index l = 0; l < length; ++l)
        weights[l] = softplus(scores[l]);
      divide_by_sum(weights, length);
      return;
    }
    case Kernel::kRelu:
      for (Index l = 0; l < length; ++l)
        weights[l] = std::fmax(scores[l], 0.0);
      divide_by_sum(weights, length);
      return;
    case Kernel::kLinear:
      for (Index l = 0; l < length; ++l)
        weights[l] = 1 + scores[l];
      return;
    case Kernel::kCentredLinear: {
      double mean = 0;
      for (Index l = 0; l < length; ++l)
        mean += scores[l];
      mean /= static_cast<double>(length);
      for (Index l = 0; l < length; ++l)
        weights[l] = 1 + (scores[l] - mean);
      return;
    }
    case Kernel::kErf:
    case Kernel::kErfToken: {
      const double offset = kernel == Kernel::kErf ? 1 : 0;
      for (Index l = 0; l < length; ++l)
        weights[l] = offset + portable::erf(bias + scores[l]);
      return;
    }
  }
}

void attend_backward(Kernel kernel, double bias, const double* scores, const double* weights,
                     const double* seed, Index length, double* out) {
  switch (kernel) {
    case Kernel::kLinear:
      for (Index l = 0; l < length; ++l)
        out[l] = seed[l];
      return;
    case Kernel::kCentredLinear: {
      double mean = 0;
      for (Index l = 0; l < length; ++l)
        mean += seed[l];
      mean /= static_cast<double>(length);
      for (Index l = 0; l < length; ++l)
        out[l] = seed[l] - mean;
      return;
    }
    case Kernel::kErf:
    case Kernel::kErfToken:
      for (Index l = 0; l < length; ++l)
        out[l] = seed[l] * erf_slope(bias + scores[l]);
      return;
    case Kernel::kSoftmax:
    case Kernel::kSoftplus:
    case Kernel::kRelu: {
      double mean = 0;  // under the weights
      for (Index l = 0; l < length; ++l)
        mean += weights[l] * seed[l];
      if (kernel == Kernel::kSoftmax) {
        for (Index l = 0; l < length; ++l)
          out[l] = weights[l] * (seed[l] - mean);
        return;
      }
      const bool smooth = kernel == Kernel::kSoftplus;
      const double sum = smooth ? sum_of_softplus(scores, length) : sum_of_positive(scores, length);
      for (Index l = 0; l < length; ++l) {
        if (!(sum > 1e-300)) {
          // softplus = e^chi there, so its logarithmic slope is 1; relu has no weight at all.
          out[l] = smooth ? weights[l] * (seed[l] - mean) : 0.0;
          continue;
        }
        const double slope = smooth ? sigmoid(scores[l]) : (scores[l] > 0 ? 1.0 : 0.0);
        out[l] = slope / sum * (seed[l] - mean);
      }
      return;
    }
  }
}

double attend_bias_gradient(Kernel kernel, double bias, const double* scores, const double* seed,
                            Index length) {
  if (kernel != Kernel::kErf && kernel != Kernel::kErfToken) return 0;
  double sum = 0;
  for (Index l = 0; l < length; ++l)
    sum += seed[l] * erf_slope(bias + scores[l]);
  return sum;
}

namespace {

void check(const MatrixRef& tokens, const VectorRef& key, const VectorRef& value, double bias) {
  if (tokens.rows() < 1 || tokens.cols() < 1)
    fail(ErrorCode::kShape, "tokens", "at least one token of one entry is expected");
  require_shape(key.size(), 1, tokens.cols(), 1, "key");
  require_shape(value.size(), 1, tokens.cols(), 1, "value");
  require_finite_vector(key, "key");
  require_finite_vector(value, "value");
  require_finite(bias, "bias");
}

Rows rows_of(const MatrixRef& tokens) {
  return {tokens.data(), tokens.rows(), tokens.cols(), tokens.outerStride()};
}

// chi and z in one pass over the tokens.
struct Fields {
  Fields(const MatrixRef& tokens, const VectorRef& key, const VectorRef& value, double scale)
      : scores(tokens.rows()), outputs(tokens.rows()) {
    two_products(rows_of(tokens), key.data(), value.data(), scores.data(), outputs.data());
    const bool finite = scores.allFinite() && outputs.allFinite();
    scores *= scale;
    outputs *= scale;
    // An entry that is not finite makes a sum that is not: only then are the entries looked at.
    if (!finite) require_finite(tokens, "tokens");
  }

  Vector scores, outputs;
};

}  // namespace

double predict(Kernel kernel, const MatrixRef& tokens, const VectorRef& key, const VectorRef& value,
               double bias) {
  check(tokens, key, value, bias);
  const Fields fields(tokens, key, value, 1 / std::sqrt(static_cast<double>(tokens.cols())));
  Vector weights(tokens.rows());
  attend(kernel, bias, fields.scores.data(), tokens.rows(), weights.data());
  return weights.dot(fields.outputs);
}

PredictionGradient predict_gradient(Kernel kernel, const MatrixRef& tokens, const VectorRef& key,
                                    const VectorRef& value, double bias) {
  check(tokens, key, value, bias);
  const Index length = tokens.rows();
  const double scale = 1 / std::sqrt(static_cast<double>(tokens.cols()));
  const Fields fields(tokens, key, value, scale);
  const double* scores = fields.scores.data();
  const double* outputs = fields.outputs.data();
  Vector weights(length), back(length);
  attend(kernel, bias, scores, length, weights.data());
  attend_backward(kernel, bias, scores, weights.data(), outputs, length, back.data());
  PredictionGradient result;
  result.prediction = weights.dot(fields.outputs);
  result.key = Vector::Zero(tokens.cols());
  result.value = Vector::Zero(tokens.cols());
  const Vector to_key = back * scale;
  const Vector to_value = weights * scale;
  add_twice(rows_of(tokens), to_key.data(), to_value.data(), result.key.data(),
            result.value.data());
  result.bias = attend_bias_gradient(kernel, bias, scores, outputs, length);
  return result;
}

}  // namespace attnlab::needle

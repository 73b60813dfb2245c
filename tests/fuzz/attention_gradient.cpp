// attention::gradient: finite or refused, and where all is plain the directional derivative of the
// forward pass.
#include <cmath>

#include "attention/attention.h"
#include "target.h"

namespace attnlab::fuzz {
namespace {

using attention::Kernel;

struct Drawn {
  Matrix queries, keys, values, output_gradient;
  Vector token_weights;
  attention::Options options;
  bool plain = false;
};

Drawn draw(Input& input) {
  static constexpr Kernel kKernels[] = {Kernel::kSoftmax, Kernel::kLinear,  Kernel::kLinearMean,
                                        Kernel::kErf,     Kernel::kSigmoid, Kernel::kSoftplus,
                                        Kernel::kRelu};
  Drawn drawn;
  drawn.plain = input.flag();
  drawn.options.kernel = input.one_of(kKernels);
  drawn.options.causal = input.flag();
  drawn.options.scale = drawn.plain ? 0.0625 * input.plain() : input.number();
  drawn.options.offset = drawn.plain ? input.plain() : input.number();
  drawn.options.bias = drawn.plain ? input.plain() : input.number();
  const Index m = input.count(0, 9);
  const Index n = input.count(0, 19);
  const Index d = input.count(0, 9);
  const Index p = input.count(0, 9);
  const auto matrix = [&](Index rows, Index columns) {
    return drawn.plain ? Matrix(input.plain_matrix(rows, columns) / 8)
                       : input.matrix(rows, columns);
  };
  drawn.queries = matrix(m, d);
  drawn.keys = matrix(n, d);
  drawn.values = matrix(n, p);
  drawn.output_gradient = matrix(m, p);
  if (input.flag()) drawn.token_weights = matrix(n, 1).col(0).cwiseAbs();
  return drawn;
}

template <class Scalar>
void gradient_in(const Drawn& drawn) {
  accepted([&] {
    const auto gradient = attention::gradient<Scalar>(
        MatrixOf<Scalar>(drawn.queries.cast<Scalar>()), MatrixOf<Scalar>(drawn.keys.cast<Scalar>()),
        MatrixOf<Scalar>(drawn.values.cast<Scalar>()),
        VectorOf<Scalar>(drawn.token_weights.cast<Scalar>()),
        MatrixOf<Scalar>(drawn.output_gradient.cast<Scalar>()), drawn.options);
    expect_finite(gradient.queries, "the gradient of queries");
    expect_finite(gradient.keys, "the gradient of keys");
    expect_finite(gradient.values, "the gradient of values");
  });
}

double loss_at(const Drawn& drawn, double step) {
  const Matrix queries = drawn.queries.array() + step;
  const Matrix keys = drawn.keys.array() - 2 * step;
  const Matrix values = drawn.values.array() + 3 * step;
  return attention::forward<double>(queries, keys, values, drawn.token_weights, drawn.options)
      .cwiseProduct(drawn.output_gradient)
      .sum();
}

// Central differences along one direction.
void check_slope(const Drawn& drawn) {
  if (drawn.options.kernel == Kernel::kRelu) return;  // it has a kink
  accepted([&] {
    const auto gradient =
        attention::gradient<double>(drawn.queries, drawn.keys, drawn.values, drawn.token_weights,
                                    drawn.output_gradient, drawn.options);
    const double slope =
        gradient.queries.sum() - 2 * gradient.keys.sum() + 3 * gradient.values.sum();
    constexpr double kStep = 1e-4;
    const double measured = (loss_at(drawn, kStep) - loss_at(drawn, -kStep)) / (2 * kStep);
    const double size = 1 + std::fabs(loss_at(drawn, 0)) + drawn.output_gradient.norm();
    expect_between(measured, slope, measured, 1e-4 * (std::fabs(measured) + size),
                   "the slope of attention");
  });
}

void run(Input& input) {
  const Drawn drawn = draw(input);
  if (drawn.plain)
    check_slope(drawn);
  else if (input.flag())
    gradient_in<float>(drawn);
  else
    gradient_in<double>(drawn);
}

const Target kTarget("attention_gradient", run);

}  // namespace
}  // namespace attnlab::fuzz

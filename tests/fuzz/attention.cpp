// attention::forward, weights and forward_batch, in double and float.
#include "attention/attention.h"

#include <algorithm>
#include <vector>

#include "target.h"

namespace attnlab::fuzz {
namespace {

using attention::Kernel;

struct Drawn {
  Matrix queries, keys, values;
  Vector token_weights;
  attention::Options options;
};

Drawn draw(Input& input) {
  static constexpr Kernel kKernels[] = {Kernel::kSoftmax, Kernel::kLinear,  Kernel::kLinearMean,
                                        Kernel::kErf,     Kernel::kSigmoid, Kernel::kSoftplus,
                                        Kernel::kRelu};
  Drawn drawn;
  drawn.options.kernel = input.one_of(kKernels);
  drawn.options.causal = input.flag();
  drawn.options.scale = input.flag() ? 1.0 : input.number();
  drawn.options.offset = input.flag() ? 0.0 : input.number();
  drawn.options.bias = input.flag() ? 0.0 : input.number();
  // Past the sizes of a register tile, and rarely past those of a block.
  const bool large = input.byte() == 7;
  const Index m = input.count(0, large ? 90 : 9);
  const Index n = input.count(0, large ? 180 : 19);
  const Index d = input.count(0, 9);
  drawn.queries = input.matrix(m, d);
  drawn.keys = input.matrix(n, d);
  drawn.values = input.matrix(n, input.count(0, 9));
  if (input.flag()) drawn.token_weights = input.vector(n).cwiseAbs();
  return drawn;
}

template <class Scalar>
void check_rows_sum_to_one(const MatrixOf<Scalar>& weights) {
  const double slack = sizeof(Scalar) == sizeof(float) ? 1e-4 : 1e-11;
  for (Index i = 0; i < weights.rows(); ++i) {
    const auto row = weights.row(i).template cast<double>();
    expect(row.minCoeff() >= 0, "a softmax weight is below 0");
    // Where every key that a causal query sees has token weight 0, so has the row.
    if (row.maxCoeff() > 0) expect_between(1, row.sum(), 1, slack, "a sum of softmax weights");
  }
}

template <class Scalar>
void forward_in(const Drawn& drawn) {
  const MatrixOf<Scalar> queries = drawn.queries.cast<Scalar>();
  const MatrixOf<Scalar> keys = drawn.keys.cast<Scalar>();
  const MatrixOf<Scalar> values = drawn.values.cast<Scalar>();
  const VectorOf<Scalar> token_weights = drawn.token_weights.cast<Scalar>();
  accepted([&] {
    const auto output =
        attention::forward<Scalar>(queries, keys, values, token_weights, drawn.options);
    expect(output.rows() == queries.rows() && output.cols() == values.cols(), "the output's shape");
    expect_finite(output, "the output");
  });
  accepted([&] {
    const auto weights = attention::weights<Scalar>(queries, keys, token_weights, drawn.options);
    expect(weights.rows() == queries.rows() && weights.cols() == keys.rows(), "the weights' shape");
    expect_finite(weights, "a weight");
    if (drawn.options.kernel == Kernel::kSoftmax) check_rows_sum_to_one<Scalar>(weights);
  });
}

// Lengths that mostly cut `total` rows, and sometimes do not fit.
std::vector<Index> draw_lengths(Input& input, Index total, Index count) {
  std::vector<Index> lengths;
  Index left = total;
  for (Index i = 0; i + 1 < count; ++i) {
    lengths.push_back(input.count(0, std::max<Index>(left, 0)));
    left -= lengths.back();
  }
  lengths.push_back(input.byte() < 16 ? input.count(0, 20) - 3 : left);
  return lengths;
}

void batch(Input& input, const Drawn& drawn) {
  const Index count = input.count(1, 4);
  const auto query_lengths = draw_lengths(input, drawn.queries.rows(), count);
  const auto key_lengths = draw_lengths(input, drawn.keys.rows(), count);
  accepted([&] {
    const auto output = attention::forward_batch<double>(drawn.queries, drawn.keys, drawn.values,
                                                         drawn.token_weights, query_lengths,
                                                         key_lengths, drawn.options);
    expect(output.rows() == drawn.queries.rows(), "the batch's rows");
    expect_finite(output, "the batch's output");
  });
}

void run(Input& input) {
  const Drawn drawn = draw(input);
  const bool single = input.flag();
  if (single)
    forward_in<float>(drawn);
  else
    forward_in<double>(drawn);
  if (!single && input.flag()) batch(input, drawn);
}

const Target kTarget("attention", run);

}  // namespace
}  // namespace attnlab::fuzz

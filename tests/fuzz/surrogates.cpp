// What stands in for softmax attention: its linear limit, Taylor, Performer and Linformer.
#include <cmath>

#include "attention/linear_limit.h"
#include "attention/linformer.h"
#include "attention/performer.h"
#include "attention/taylor.h"
#include "core/random.h"
#include "target.h"

namespace attnlab::fuzz {
namespace {

struct Drawn {
  Matrix queries, keys, values;
  double scale = 1;

  double largest() const {
    double result = std::fabs(scale);
    for (const Matrix* matrix : {&queries, &keys, &values})
      if (matrix->size() > 0) result = std::fmax(result, matrix->cwiseAbs().maxCoeff());
    return result;
  }
};

// They serve experiments, which see for themselves what overflows.
void expect_finite_below(double limit, const Drawn& drawn, const Matrix& output) {
  if (drawn.largest() <= limit) expect_finite(output, "an output");
}

void check_linear_limit(Input&, const Drawn& drawn) {
  expect_finite_below(
      1e50, drawn, attention::linear_limit(drawn.queries, drawn.keys, drawn.values, drawn.scale));
}

void check_taylor(Input& input, const Drawn& drawn) {
  using attention::TaylorNorm;
  static constexpr TaylorNorm kNorms[] = {TaylorNorm::kDenominator, TaylorNorm::kNone,
                                          TaylorNorm::kUnitLength};
  const Index order = input.count(0, 90) - 2;
  const auto found = attention::taylor_attention(drawn.queries, drawn.keys, drawn.values, order,
                                                 drawn.scale, input.one_of(kNorms));
  expect(found.output.rows() == drawn.queries.rows(), "the output's rows");
  expect(found.not_positive >= 0 && found.not_positive <= drawn.queries.rows(), "the count");
  const Matrix scores = drawn.scale * drawn.queries * drawn.keys.transpose();
  const bool plain = drawn.keys.rows() > 0 && (scores.array().abs() < 1e3).all();
  if (plain && order % 2 == 0)
    expect(found.not_positive == 0, "an even order has no denominator below 0");
}

// The recurrent form answers what the parallel one does.
void check_taylor_state(Input& input, const Drawn& drawn) {
  const Index order = input.count(0, 3);
  attention::TaylorState state(drawn.keys.cols(), drawn.values.cols(), order, drawn.scale);
  for (Index j = 0; j < drawn.keys.rows(); ++j)
    state.add(drawn.keys.row(j), drawn.values.row(j));
  for (Index i = 0; i < drawn.queries.rows(); ++i)
    expect(state.ask(drawn.queries.row(i)).output.size() == drawn.values.cols(), "the answer");
}

void check_performer(Input& input, const Drawn& drawn) {
  RandomStream random(input.word(), 3);
  const Matrix directions =
      attention::orthogonal_directions(input.count(0, 9), drawn.queries.cols(), random);
  const Matrix output = attention::performer_attention(drawn.queries, drawn.keys, drawn.values,
                                                       drawn.scale, directions);
  // For large scores its features have nothing in common, and their sums are 0.
  expect_finite_below(8, drawn, output);
}

void check_linformer(Input& input, const Drawn& drawn) {
  using attention::LinformerProjection;
  const auto projection = input.flag() ? LinformerProjection::kPool : LinformerProjection::kRandom;
  const Matrix output =
      attention::linformer_attention(drawn.queries, drawn.keys, drawn.values, drawn.scale,
                                     input.count(0, 12) - 1, projection, input.word());
  expect_finite_below(1e50, drawn, output);
}

void run(Input& input) {
  static constexpr void (*kChecks[])(Input&, const Drawn&) = {
      check_linear_limit, check_taylor, check_taylor_state, check_performer, check_linformer};
  const auto check = input.one_of(kChecks);
  const Index d = input.count(0, 4);
  const Index n = input.count(0, 9);
  Drawn drawn;
  drawn.scale = input.flag() ? 0.25 : input.number();
  drawn.queries = input.matrix(input.count(0, 4), d);
  drawn.keys = input.matrix(n, d);
  drawn.values = input.matrix(n, input.count(0, 4));
  accepted([&] { check(input, drawn); });
}

const Target kTarget("surrogates", run);

}  // namespace
}  // namespace attnlab::fuzz

#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "attention/attention.h"
#include "core/error.h"
#include "core/random.h"
#include "plain.h"
#include "reference.h"

using namespace attnlab;
using namespace attnlab::attention;
using attnlab::tests::close;
using attnlab::tests::kAllKernels;
using attnlab::tests::largest_relative_difference;
using attnlab::tests::plain_attention;

namespace {

struct Prompt {
  Matrix queries, keys, values;
  Vector token_weights;
};

Prompt draw(Index m, Index n, Index d, Index p, bool weighted, double size = 0.6) {
  RandomStream stream(101, stream_of({static_cast<std::uint64_t>(m), static_cast<std::uint64_t>(n),
                                      static_cast<std::uint64_t>(d)}));
  Prompt prompt{size * stream.gaussian_matrix(m, d),
                size * stream.gaussian_matrix(n, d),
                stream.gaussian_matrix(n, p),
                {}};
  if (weighted) {
    prompt.token_weights = stream.gaussian_vector(n).cwiseAbs();
    if (n > 2) prompt.token_weights(n / 2) = 0;
  }
  return prompt;
}

Options options_of(Kernel kernel, bool causal) {
  Options options;
  options.kernel = kernel;
  options.scale = 0.7;
  options.offset = 0.25;
  options.bias = -0.125;
  options.causal = causal;
  return options;
}

template <class Scalar>
MatrixOf<Scalar> forward_as(const Prompt& prompt, const Options& options) {
  return forward<Scalar>(prompt.queries.cast<Scalar>().eval(), prompt.keys.cast<Scalar>().eval(),
                         prompt.values.cast<Scalar>().eval(),
                         prompt.token_weights.cast<Scalar>().eval(), options);
}

// Sums of up to n terms of ordinary size, with rounding errors at random.
template <class Scalar>
double rounding(Index n) {
  return (std::is_same_v<Scalar, float> ? 1e-6 : 2e-15) * (8 + static_cast<double>(n) / 8);
}

template <class Scalar>
void compare(const Prompt& prompt, const Options& options) {
  const auto plain =
      plain_attention(prompt.queries.cast<Scalar>().template cast<double>(),
                      prompt.keys.cast<Scalar>().template cast<double>(),
                      prompt.values.cast<Scalar>().template cast<double>(),
                      prompt.token_weights.cast<Scalar>().template cast<double>(), options);
  const Matrix output = forward_as<Scalar>(prompt, options).template cast<double>();
  const Index n = prompt.keys.rows();
  INFO(kernel_name(options.kernel), " m ", prompt.queries.rows(), " n ", n, " d ",
       prompt.keys.cols(), " p ", prompt.values.cols(), " causal ", options.causal);
  CHECK(largest_relative_difference(output, plain.output) < rounding<Scalar>(n));
  const Matrix found =
      weights<Scalar>(prompt.queries.cast<Scalar>().eval(), prompt.keys.cast<Scalar>().eval(),
                      prompt.token_weights.cast<Scalar>().eval(), options)
          .template cast<double>();
  CHECK(largest_relative_difference(found, plain.weights) <
        (std::is_same_v<Scalar, float> ? 4e-6 : 8e-15));
}

}  // namespace

TEST_CASE("forward and weights equal the definition for every kernel and odd size") {
  for (const Kernel kernel : kAllKernels) {
    for (const bool causal : {false, true}) {
      for (const Index n : {1, 2, 3, 5, 7, 17, 129, 385}) {
        for (const Index m : {1, 3, 66}) {
          if (causal && m > n) continue;
          const Index d = 1 + n % 11;
          const Index p = 1 + (n + m) % 10;
          for (const bool weighted : {false, true}) {
            const Prompt prompt = draw(m, n, d, p, weighted);
            compare<double>(prompt, options_of(kernel, causal));
            compare<float>(prompt, options_of(kernel, causal));
          }
        }
      }
    }
  }
}

TEST_CASE("forward equals the definition where whole blocks of keys are hidden") {
  for (const Kernel kernel : kAllKernels) {
    const Prompt prompt = draw(385, 385, 17, 7, true);
    compare<double>(prompt, options_of(kernel, true));
    compare<float>(prompt, options_of(kernel, true));
  }
}

TEST_CASE("a dimension or a value width of 0 is legal, and so is no query") {
  for (const Kernel kernel : kAllKernels) {
    compare<double>(draw(3, 5, 0, 2, false), options_of(kernel, false));
    CHECK(forward_as<double>(draw(3, 5, 2, 0, true), options_of(kernel, false)).cols() == 0);
    const Matrix none = forward_as<double>(draw(0, 5, 2, 4, true), options_of(kernel, true));
    CHECK(none.rows() == 0);
    CHECK(none.cols() == 4);
  }
}

TEST_CASE("scores of plus and minus 1e4 neither overflow nor lose the ratio of weights") {
  Matrix keys(3, 1);
  keys << 1, -1, 1 + 1e-4;
  const Matrix queries = Matrix::Constant(2, 1, 1e4);
  Matrix values(3, 1);
  values << 1, 100, 2;
  Options options;
  const Matrix output = forward<double>(queries, keys, values, Vector(), options);
  const double ratio = std::exp(1.0);
  CHECK(close(output(1, 0), (1 + 2 * ratio) / (1 + ratio), 1e-12, 0));
  options.kernel = Kernel::kSoftplus;
  const Matrix low =
      forward<double>(-queries, keys.topRows(1).replicate(3, 1), values, Vector(), options);
  CHECK(close(low(0, 0), 103.0 / 3, 1e-14, 0));
  options.kernel = Kernel::kSigmoid;
  CHECK(forward<double>(queries, keys, values, Vector(), options)(0, 0) == 3);
  const MatrixOf<float> in_float =
      forward<float>(queries.cast<float>().eval(), keys.topRows(2).cast<float>().eval(),
                     values.topRows(2).cast<float>().eval(), VectorOf<float>(), Options{});
  CHECK(in_float(0, 0) == 1.0F);
}

TEST_CASE("scores that grow and shrink by 1e4 from block to block stream as they should") {
  constexpr Index kKeys = 700;
  for (const double direction : {1.0, -1.0}) {
    Matrix keys(kKeys, 1);
    for (Index j = 0; j < kKeys; ++j)
      keys(j, 0) = direction * 2e4 * (static_cast<double>(j) / (kKeys - 1) - 0.5);
    const Matrix queries = Matrix::Constant(5, 1, 1);
    const Matrix values = draw(1, kKeys, 1, 9, false).values;
    for (const Kernel kernel : {Kernel::kSoftmax, Kernel::kSoftplus, Kernel::kSigmoid}) {
      Options options;
      options.kernel = kernel;
      const auto plain = plain_attention(queries, keys, values, Vector(), options);
      const Matrix output = forward<double>(queries, keys, values, Vector(), options);
      CHECK(largest_relative_difference(output, plain.output) < 1e-12);
    }
  }
}

TEST_CASE("softplus weights far in the negative tail are softmax weights") {
  Prompt prompt = draw(7, 300, 4, 3, true);
  Options softmax = options_of(Kernel::kSoftmax, false);
  Options softplus = options_of(Kernel::kSoftplus, false);
  softplus.bias = -5000;
  CHECK(largest_relative_difference(forward_as<double>(prompt, softplus),
                                    forward_as<double>(prompt, softmax)) < 1e-12);
  CHECK(largest_relative_difference(forward_as<float>(prompt, softplus).cast<double>(),
                                    forward_as<float>(prompt, softmax).cast<double>()) <
        2e-3);  // 5000 has 4 digits left
}

TEST_CASE("softplus crosses from its tail to its linear part between blocks of keys") {
  Matrix keys(400, 1);
  for (Index j = 0; j < 400; ++j)
    keys(j, 0) = j < 250 ? -50 - 0.01 * static_cast<double>(j) : 3;
  keys(130, 0) = -45;
  for (const double last : {-42.0, -1.0, 10.0}) {
    keys.bottomRows(20).setConstant(last);
    if (last < 0) keys.middleRows(250, 130).setConstant(-60);
    const Matrix values = draw(1, 400, 1, 2, false).values;
    Options options;
    options.kernel = Kernel::kSoftplus;
    const auto plain = plain_attention(Matrix::Ones(2, 1), keys, values, Vector(), options);
    const Matrix output = forward<double>(Matrix::Ones(2, 1), keys, values, Vector(), options);
    CHECK(largest_relative_difference(output, plain.output) < 1e-13);
  }
}

TEST_CASE("subnormal queries, keys and values pass through") {
  const Matrix tiny = Matrix::Constant(3, 2, 1e-310);
  for (const Kernel kernel : kAllKernels) {
    const Options options = options_of(kernel, false);
    const auto plain = plain_attention(tiny, tiny, tiny, Vector(), options);
    CHECK(tests::largest_difference(forward<double>(tiny, tiny, tiny, Vector(), options),
                                    plain.output) < 1e-322);
  }
  const MatrixOf<float> tiny_float = MatrixOf<float>::Constant(3, 2, 1e-40F);
  const MatrixOf<float> output =
      forward<float>(tiny_float, tiny_float, tiny_float, VectorOf<float>(), Options{});
  CHECK(std::fabs(output(0, 0) - 1e-40F) < 3e-45F);
}

TEST_CASE("linear attention keeps entries whose products with the values leave the range") {
  // Large keys, or small ones in one column, beside queries that make up for them.
  for (const double size : {1e25, 1e-25}) {
    Prompt prompt = draw(40, 200, 3, 4, false);
    prompt.keys.col(1) *= size;
    prompt.queries.col(1) /= size;
    prompt.values *= size;
    Options options;
    options.kernel = Kernel::kLinear;
    const auto plain = plain_attention(
        prompt.queries.cast<float>().cast<double>(), prompt.keys.cast<float>().cast<double>(),
        prompt.values.cast<float>().cast<double>(), Vector(), options);
    const Matrix output = forward_as<float>(prompt, options).cast<double>();
    CHECK(largest_relative_difference(output / size, plain.output / size) < rounding<float>(200));
  }
}

TEST_CASE("a token of weight 0 changes nothing, even where its score is by far the largest") {
  for (const Kernel kernel : kAllKernels) {
    Prompt prompt = draw(5, 9, 3, 2, true);
    const Options options = options_of(kernel, false);
    prompt.token_weights(4) = 0;
    const Matrix before = forward_as<double>(prompt, options);
    prompt.keys.row(4) = 1e4 * prompt.queries.row(0);
    prompt.values.row(4).setConstant(1e6);
    CHECK(tests::largest_difference(forward_as<double>(prompt, options), before) < 1e-13);
  }
}

TEST_CASE("a token of weight 3 counts like three tokens, and the sum of weights cancels") {
  for (const Kernel kernel : kAllKernels) {
    const Options options = options_of(kernel, false);
    Prompt prompt = draw(4, 3, 2, 2, false);
    prompt.token_weights.resize(3);
    prompt.token_weights << 1, 3, 1;
    const Matrix weighted = forward_as<double>(prompt, options);
    Prompt repeated = prompt;
    repeated.token_weights.resize(0);
    repeated.keys.resize(5, 2);
    repeated.values.resize(5, 2);
    for (const Index j : {0, 1, 2, 3, 4}) {
      const Index from = j == 0 ? 0 : (j == 4 ? 2 : 1);
      repeated.keys.row(j) = prompt.keys.row(from);
      repeated.values.row(j) = prompt.values.row(from);
    }
    CHECK(tests::largest_difference(forward_as<double>(repeated, options), weighted) < 1e-14);
  }
}

TEST_CASE("token weights near the ends of the range cancel where they are divided by their sum") {
  const Prompt prompt = draw(5, 40, 3, 2, false);
  for (const Kernel kernel :
       {Kernel::kSoftmax, Kernel::kSoftplus, Kernel::kRelu, Kernel::kLinearMean}) {
    const Options options = options_of(kernel, false);
    const Matrix expected = forward_as<double>(prompt, options);
    INFO(kernel_name(kernel));
    for (const float size : {1e-40F, 1e-33F, 1e33F}) {
      Prompt weighted = prompt;
      weighted.token_weights = Vector::Constant(40, static_cast<double>(size));
      const MatrixOf<float> found = forward_as<float>(weighted, options);
      CHECK(largest_relative_difference(found.cast<double>(), expected) < 1e-5);
    }
    for (const double size : {1e-310, 1e-300, 1e300}) {
      Prompt weighted = prompt;
      weighted.token_weights = Vector::Constant(40, size);
      CHECK(largest_relative_difference(forward_as<double>(weighted, options), expected) < 1e-13);
    }
  }
}

TEST_CASE("weights whose sum would leave the range are refused, small ones are divided") {
  for (const Kernel kernel : {Kernel::kRelu, Kernel::kSoftplus}) {
    Options options;
    options.kernel = kernel;
    const MatrixOf<float> query = MatrixOf<float>::Constant(1, 1, 1e18F);
    const MatrixOf<float> keys = MatrixOf<float>::Constant(64, 1, 1e19F);
    const MatrixOf<float> values = MatrixOf<float>::Constant(64, 1, 0.5F);
    CHECK_THROWS_WITH_AS(forward<float>(query, keys, values, VectorOf<float>(), options),
                         doctest::Contains("queries: scores may sum to"), Error);
    CHECK(std::abs(forward<float>(query, keys.topRows(4), values.topRows(4), VectorOf<float>(),
                                  options)(0, 0) -
                   0.5F) < 1e-6F);
  }
  Options options;
  options.kernel = Kernel::kRelu;
  const Matrix small = Matrix::Constant(1, 1, 1e-155);
  CHECK(forward<double>(small, small * 10, Matrix::Constant(1, 1, 5), Vector(), options)(0, 0) ==
        5);
}

TEST_CASE("a scale beyond the range of a float is no harm where its products are not") {
  const Prompt prompt = draw(5, 40, 3, 2, false);
  const Matrix expected = forward_as<double>(prompt, options_of(Kernel::kSoftmax, false));
  Prompt small = prompt;
  small.queries *= 0.7e-30;
  Options options = options_of(Kernel::kSoftmax, false);
  options.scale = 1e30;
  CHECK(largest_relative_difference(forward_as<float>(small, options).cast<double>(), expected) <
        1e-5);
  small.queries = prompt.queries * 0.7e-38;
  options.scale = 1e38;
  CHECK(largest_relative_difference(forward_as<float>(small, options).cast<double>(), expected) <
        1e-5);
  small.queries.setZero();
  options.scale = 1e300;
  const MatrixOf<float> mean = forward_as<float>(small, options);
  CHECK(std::abs(static_cast<double>(mean(0, 0)) - prompt.values.col(0).mean()) < 1e-6);
}

TEST_CASE("a query that sees only tokens of weight 0 gets weights and output 0") {
  for (const Kernel kernel : kAllKernels) {
    Prompt prompt = draw(3, 3, 2, 2, true);
    prompt.token_weights << 0, 0, 1;
    const Options options = options_of(kernel, true);
    const Matrix output = forward_as<double>(prompt, options);
    CHECK(output.topRows(2).cwiseAbs().maxCoeff() == 0);
    CHECK(output.row(2).cwiseAbs().minCoeff() > 0);
  }
}

TEST_CASE("relu weights are all 0 where no score is positive") {
  Options options;
  options.kernel = Kernel::kRelu;
  options.bias = -10;
  const Prompt prompt = draw(3, 20, 2, 2, false);
  CHECK(forward_as<double>(prompt, options).cwiseAbs().maxCoeff() == 0);
  CHECK(weights<double>(prompt.queries, prompt.keys, Vector(), options).cwiseAbs().maxCoeff() == 0);
}

TEST_CASE("rows of a larger matrix are read in place and nothing beside them is touched") {
  const Prompt prompt = draw(9, 33, 5, 6, false);
  Matrix wide = Matrix::Constant(33, 20, NAN);
  wide.middleCols(3, 5) = prompt.keys;
  wide.middleCols(10, 6) = prompt.values;
  const Matrix inside = forward<double>(prompt.queries, wide.middleCols(3, 5),
                                        wide.middleCols(10, 6), Vector(), Options{});
  CHECK(inside == forward_as<double>(prompt, Options{}));
}

TEST_CASE("forward's bad input is refused by the name of the parameter") {
  const Prompt prompt = draw(4, 5, 3, 2, false);
  const auto refused = [&](auto change) {
    Prompt bad = prompt;
    Options options;
    change(bad, options);
    try {
      forward_as<double>(bad, options);
    } catch (const Error& error) {
      return std::string(error_code_name(error.code())) + " " + error.parameter();
    }
    return std::string("accepted");
  };
  CHECK(refused([](Prompt& p, Options&) {
          p.keys.resize(0, 3);
          p.values.resize(0, 2);
        }) == "shape keys");
  CHECK(refused([](Prompt& p, Options&) {
          p.queries.resize(4, 2);
          p.queries.setZero();
        }) == "shape queries");
  CHECK(refused([](Prompt& p, Options&) {
          p.values.resize(4, 2);
          p.values.setZero();
        }) == "shape values");
  CHECK(refused([](Prompt& p, Options&) { p.queries(1, 2) = NAN; }) == "not-finite queries");
  CHECK(refused([](Prompt& p, Options&) { p.keys(4, 0) = INFINITY; }) == "not-finite keys");
  CHECK(refused([](Prompt& p, Options&) { p.values(0, 1) = -INFINITY; }) == "not-finite values");
  CHECK(refused([](Prompt& p, Options&) { p.token_weights = Vector::Ones(4); }) == "shape weights");
  CHECK(refused([](Prompt& p, Options&) { p.token_weights = Vector::Zero(5); }) ==
        "out-of-range weights");
  CHECK(refused([](Prompt& p, Options&) { p.token_weights = -Vector::Ones(5); }) ==
        "out-of-range weights");
  CHECK(refused([](Prompt& p, Options&) { p.token_weights = Vector::Constant(5, 1e308); }) ==
        "out-of-range weights");
  CHECK(refused([](Prompt& p, Options&) { p.token_weights = Vector::Constant(5, NAN); }) ==
        "not-finite weights");
  CHECK(refused([](Prompt&, Options& o) { o.scale = NAN; }) == "not-finite scale");
  CHECK(refused([](Prompt&, Options& o) { o.offset = INFINITY; }) == "not-finite offset");
  CHECK(refused([](Prompt&, Options& o) { o.bias = -INFINITY; }) == "not-finite bias");
  CHECK(refused([](Prompt& p, Options&) {
          p.queries(0, 0) = 1e200;
          p.keys(0, 0) = 1e200;
        }) == "out-of-range queries");
  CHECK(refused([](Prompt& p, Options& o) {
          p.values.setConstant(1e308);
          o.kernel = Kernel::kSigmoid;
        }) == "out-of-range values");
  CHECK(refused([](Prompt& p, Options& o) {
          p.queries.setOnes(6, 3);
          o.causal = true;
        }) == "shape causal");
  CHECK(refused([](Prompt&, Options&) {}) == "accepted");
}

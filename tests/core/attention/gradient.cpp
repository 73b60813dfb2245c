#include <doctest/doctest.h>

#include <cmath>

#include "attention/attention.h"
#include "core/error.h"
#include "core/random.h"
#include "core/special.h"
#include "plain.h"
#include "reference.h"

using namespace attnlab;
using namespace attnlab::attention;
using attnlab::tests::close;
using attnlab::tests::kAllKernels;
using attnlab::tests::largest_difference;
using attnlab::tests::largest_relative_difference;
using attnlab::tests::to_matrix;
using attnlab::tests::to_vector;

namespace {

struct Point {
  Matrix queries, keys, values, output_gradient;
  Vector token_weights;

  double objective(const Options& options) const {
    return forward<double>(queries, keys, values, token_weights, options)
        .cwiseProduct(output_gradient)
        .sum();
  }
};

Point draw(RandomStream& stream, Index m, Index n, Index d, Index p, bool weighted) {
  Point point{0.7 * stream.gaussian_matrix(m, d),
              0.7 * stream.gaussian_matrix(n, d),
              stream.gaussian_matrix(n, p),
              stream.gaussian_matrix(m, p),
              {}};
  if (weighted) point.token_weights = stream.gaussian_vector(n).cwiseAbs();
  return point;
}

// Fourth-order central differences of the objective along every entry of `matrix`.
Matrix differences(Point& point, Matrix Point::* member, const Options& options) {
  constexpr double kStep = 1e-3;
  Matrix& matrix = point.*member;
  Matrix result(matrix.rows(), matrix.cols());
  for (Index i = 0; i < matrix.rows(); ++i) {
    for (Index j = 0; j < matrix.cols(); ++j) {
      const double kept = matrix(i, j);
      const auto at = [&](double shift) {
        matrix(i, j) = kept + shift;
        return point.objective(options);
      };
      result(i, j) =
          (8 * (at(kStep) - at(-kStep)) - (at(2 * kStep) - at(-2 * kStep))) / (12 * kStep);
      matrix(i, j) = kept;
    }
  }
  return result;
}

double relative_norm(const Matrix& difference, const Matrix& expected) {
  return difference.norm() / expected.norm();
}

}  // namespace

TEST_CASE("gradients equal central differences to 1e-6 at ten points for every kernel") {
  for (const Kernel kernel : kAllKernels) {
    RandomStream stream(107, static_cast<std::uint64_t>(kernel));
    for (int trial = 0; trial < 10; ++trial) {
      Options options;
      options.kernel = kernel;
      options.scale = 0.8;
      options.offset = 0.5;
      // relu has a kink: with this bias no score of these points lies within the differences' step.
      options.bias = kernel == Kernel::kRelu ? 4 : -0.3;
      options.causal = trial % 3 == 1;
      const Index m = 1 + trial % 4;
      Point point = draw(stream, m, m + trial, 2 + trial % 3, 1 + trial % 5, trial % 2 == 1);
      const Gradient<double> found =
          gradient<double>(point.queries, point.keys, point.values, point.token_weights,
                           point.output_gradient, options);
      INFO(kernel_name(kernel), " trial ", trial);
      const Matrix queries = differences(point, &Point::queries, options);
      const Matrix keys = differences(point, &Point::keys, options);
      const Matrix values = differences(point, &Point::values, options);
      CHECK((found.queries - queries).norm() < 1e-6 * queries.norm() + 1e-11);
      CHECK((found.keys - keys).norm() < 1e-6 * keys.norm() + 1e-11);
      CHECK(relative_norm(found.values - values, values) < 1e-6);
    }
  }
}

TEST_CASE("gradients equal the definition's over several blocks of queries and keys") {
  for (const Kernel kernel : kAllKernels) {
    for (const bool causal : {false, true}) {
      RandomStream stream(109, 0);
      Point point = draw(stream, 133, 385, 5, 9, true);
      // Tokens that do not count; where it is causal, all that some of a strip's queries see.
      for (const Index j : {0, 1, 130, 300, 384})
        point.token_weights(j) = 0;
      Options options;
      options.kernel = kernel;
      options.scale = 0.5;
      options.offset = 0.5;
      options.bias = -0.3;
      options.causal = causal;
      const auto plain = tests::plain_attention(point.queries, point.keys, point.values,
                                                point.token_weights, options);
      // d objective / d s_ij by the quotient rule, with f'(s) written anew.
      Matrix score_gradient = Matrix::Zero(133, 385);
      for (Index i = 0; i < 133; ++i) {
        const Index seen = causal ? i + 253 : 385;
        double sum = 0;
        double count = 0;
        for (Index j = 0; j < seen; ++j) {
          const double s = 0.5 * point.queries.row(i).dot(point.keys.row(j)) - 0.3;
          if (kernel == Kernel::kSoftmax) sum += point.token_weights(j) * std::exp(s);
          if (kernel == Kernel::kSoftplus) sum += point.token_weights(j) * std::log1p(std::exp(s));
          if (kernel == Kernel::kRelu) sum += point.token_weights(j) * std::max(s, 0.0);
          count += point.token_weights(j);
        }
        const double mean = plain.output.row(i).dot(point.output_gradient.row(i));
        for (Index j = 0; j < seen; ++j) {
          const double s = 0.5 * point.queries.row(i).dot(point.keys.row(j)) - 0.3;
          const double x = point.values.row(j).dot(point.output_gradient.row(i));
          double slope = 1;
          if (kernel == Kernel::kSoftmax) slope = std::exp(s) / sum * (x - mean);
          if (kernel == Kernel::kSoftplus) slope = (x - mean) / (1 + std::exp(-s)) / sum;
          if (kernel == Kernel::kRelu) slope = s > 0 ? (x - mean) / sum : 0;
          if (kernel == Kernel::kErf) slope = 2 / std::sqrt(M_PI) * std::exp(-s * s) * x;
          if (kernel == Kernel::kSigmoid) slope = std::exp(-s) / std::pow(1 + std::exp(-s), 2) * x;
          if (kernel == Kernel::kLinear) slope = x;
          if (kernel == Kernel::kLinearMean) slope = x / count;
          score_gradient(i, j) = point.token_weights(j) * slope;
        }
      }
      const Gradient<double> found =
          gradient<double>(point.queries, point.keys, point.values, point.token_weights,
                           point.output_gradient, options);
      INFO(kernel_name(kernel), " causal ", causal);
      const Matrix queries = 0.5 * score_gradient * point.keys;
      const Matrix keys = 0.5 * score_gradient.transpose() * point.queries;
      const Matrix values = plain.weights.transpose() * point.output_gradient;
      CHECK(relative_norm(found.queries - queries, queries) < 1e-12);
      CHECK(relative_norm(found.keys - keys, keys) < 1e-12);
      CHECK(relative_norm(found.values - values, values) < 1e-12);
      const Gradient<float> in_float = gradient<float>(
          point.queries.cast<float>().eval(), point.keys.cast<float>().eval(),
          point.values.cast<float>().eval(), point.token_weights.cast<float>().eval(),
          point.output_gradient.cast<float>().eval(), options);
      CHECK(relative_norm(in_float.queries.cast<double>() - queries, queries) < 1e-5);
      CHECK(relative_norm(in_float.keys.cast<double>() - keys, keys) < 1e-5);
      CHECK(relative_norm(in_float.values.cast<double>() - values, values) < 1e-5);
    }
  }
}

TEST_CASE("the fixed cases hold: V sum_i softmax(X U z)_i X_i and its pullbacks") {
  for (const auto& fixed : tests::reference("large-prompt-attention_forward_grad").at("cases")) {
    const double tolerance =
        tests::reference("large-prompt-attention_forward_grad").at("tol").get<double>();
    const Matrix tokens = to_matrix(fixed.at("X"));
    const Matrix bilinear = to_matrix(fixed.at("U"));
    const Matrix value_map = to_matrix(fixed.at("V"));
    const Vector z = to_vector(fixed.at("z"));
    const Vector cotangent = to_vector(fixed.at("cotangent"));
    const auto& expected = fixed.at("expected");
    // queries = (U z)^T, keys = X, values = X V^T.
    const Matrix queries = (bilinear * z).transpose();
    const Matrix values = tokens * value_map.transpose();
    const Matrix weight = weights<double>(queries, tokens, Vector(), Options{});
    const Matrix mean = forward<double>(queries, tokens, tokens, Vector(), Options{});
    const Matrix output = forward<double>(queries, tokens, values, Vector(), Options{});
    const auto agrees = [&](const Matrix& actual, const Matrix& wanted) {
      CHECK(largest_relative_difference(actual, wanted) < tolerance);
    };
    agrees(weight.transpose(), to_vector(expected.at("weights")));
    agrees(mean.transpose(), to_vector(expected.at("mean")));
    agrees(output.transpose(), to_vector(expected.at("output")));
    const Matrix centred = tokens.rowwise() - mean.row(0);
    agrees(centred.transpose() * weight.row(0).asDiagonal() * centred,
           to_matrix(expected.at("cov")));
    CHECK(close(1 / weight.squaredNorm(), expected.at("ess").get<double>(), tolerance, 0));
    CHECK(close(log_sum_exp((tokens * queries.transpose()).col(0)),
                expected.at("logsumexp_scores").get<double>(), tolerance, tolerance));
    const Gradient<double> found =
        gradient<double>(queries, tokens, values, Vector(), cotangent.transpose(), Options{});
    agrees(found.values.transpose() * tokens, to_matrix(expected.at("vjp_V")));
    agrees(found.queries.transpose() * z.transpose(), to_matrix(expected.at("vjp_U")));
    agrees(bilinear.transpose() * found.queries.transpose(), to_vector(expected.at("vjp_z")));
    agrees(found.keys + found.values * value_map, to_matrix(expected.at("vjp_X")));
    // The Jacobian along z, a row an output: pull back each unit cotangent.
    const Matrix jacobian = to_matrix(expected.at("jac_z"));
    for (Index k = 0; k < jacobian.rows(); ++k) {
      const Matrix unit = Matrix::Identity(jacobian.rows(), jacobian.rows()).row(k);
      const Gradient<double> row =
          gradient<double>(queries, tokens, values, Vector(), unit, Options{});
      agrees(row.queries * bilinear, jacobian.row(k));
    }
  }
}

TEST_CASE("gradients stay finite where scores saturate or weights vanish") {
  const Matrix queries = Matrix::Constant(2, 1, 1e4);
  Matrix keys(3, 1);
  keys << 1, -1, 0.5;
  const Matrix values = keys;
  for (const Kernel kernel : kAllKernels) {
    Options options;
    options.kernel = kernel;
    const Gradient<double> found =
        gradient<double>(queries, keys, values, Vector(), Matrix::Ones(2, 1), options);
    CHECK(found.queries.allFinite());
    CHECK(found.keys.allFinite());
    if (kernel == Kernel::kSoftmax) {
      CHECK(largest_difference(found.values, Matrix{{2.0}, {0.0}, {0.0}}) == 0);
      CHECK(found.keys.cwiseAbs().maxCoeff() == 0);
    }
  }
}

TEST_CASE("a gradient for no queries is 0, and one of the wrong shape is refused") {
  const Matrix keys = Matrix::Ones(5, 2);
  const Gradient<double> none =
      gradient<double>(Matrix(0, 2), keys, keys, Vector(), Matrix(0, 2), Options{});
  CHECK(none.queries.rows() == 0);
  CHECK(largest_difference(none.keys, Matrix::Zero(5, 2)) == 0);
  CHECK(largest_difference(none.values, Matrix::Zero(5, 2)) == 0);
  CHECK_THROWS_WITH_AS(gradient<double>(keys, keys, keys, Vector(), Matrix::Ones(5, 3), Options{}),
                       "outputGradient: is 5 x 3; 5 x 2 is expected", Error);
  CHECK_THROWS_WITH_AS(
      gradient<double>(keys, keys, keys, Vector(), Matrix::Constant(5, 2, NAN), Options{}),
      "outputGradient: row 0, column 0 is NaN; finite numbers are expected", Error);
}

#include "mhla/fit.h"

#include <doctest/doctest.h>
#include <Eigen/QR>
#include <Eigen/SVD>

#include <cmath>
#include <limits>

#include "core/error.h"
#include "mhla/cases.h"
#include "mhla/heads.h"
#include "mhla/parameters.h"
#include "mhla/random_data.h"

using namespace attnlab;
using namespace attnlab::mhla;

namespace {

const FitMethod kAllMethods[] = {FitMethod::kAuto, FitMethod::kCholesky, FitMethod::kTsqr,
                                 FitMethod::kSvd, FitMethod::kDual};

FitResult fit_by(const Samples& samples, const Matrix& targets, FitMethod method) {
  FitOptions options;
  options.method = method;
  return fit(samples, targets, options);
}

// The least-norm W of the paper's own design, (N d_out) x (d_out d d^2), as Algorithm 1 writes it.
Matrix literal_w(const Samples& samples, const Matrix& targets) {
  const Index d = samples.dimension();
  Eigen::MatrixXd x(samples.count(), d * d * d);
  for (Index i = 0; i < samples.count(); ++i)
    for (Index j = 0; j < d; ++j)
      for (Index k = 0; k < d; ++k)
        for (Index l = 0; l < d; ++l)
          x(i, (j * d + k) * d + l) = samples.grams(i, pair_index(d, j, k)) * samples.queries(i, l);
  const Eigen::MatrixXd w = x.completeOrthogonalDecomposition().solve(Eigen::MatrixXd(targets));
  Matrix result(targets.cols() * d, d * d);
  for (Index a = 0; a < targets.cols(); ++a)
    for (Index j = 0; j < d; ++j)
      for (Index kl = 0; kl < d * d; ++kl)
        result(a * d + j, kl) = w(j * d * d + kl, a);
  return result;
}

}  // namespace

TEST_CASE("every method recovers the realizable whole-number case") {
  const auto& data = tests::reference("mhla-alg1_realizable_d2");
  const Samples samples = tests::case_samples(data["Z"]);
  const Matrix y = tests::to_matrix(data["y"]);
  for (const FitMethod method : kAllMethods) {
    CAPTURE(fit_method_name(method));
    if (method == FitMethod::kDual) continue;  // more samples than features: checked below
    const FitResult result = fit_by(samples, y, method);
    CHECK(result.rank == 6);
    CHECK(result.dimension == 6);
    CHECK(result.warnings.empty());
    CHECK(tests::largest_difference(result.coefficients, tests::to_matrix(data["p_exact"])) <
          1e-12);
    CHECK(result.training_error < 1e-24 * result.target_variance);
    CHECK(result.heads.size() == data["heads"].get<std::size_t>());
    const Vector expected = tests::to_vector(data["singular_values"]);
    for (Index i = 0; i < 4; ++i)
      CHECK(tests::close(result.singular_values(i), expected(i), 1e-9, 0));
    CHECK(tests::largest_difference(symmetric_w(result.coefficients, 2),
                                    tests::to_matrix(data["W_minnorm"])) < 1e-12);
    const Matrix test = tests::to_matrix(data["Z_test"]).transpose();
    const Matrix output = apply(result.heads, test, OutputMode::kLast);
    CHECK(tests::close(output(0, 0), -45, 1e-12, 0));
    CHECK(tests::close(output(0, 1), -45, 1e-12, 0));
  }
}

TEST_CASE("every method finds the least squares of the agnostic case") {
  const auto& data = tests::reference("mhla-alg1_agnostic_d2");
  const Samples samples = tests::case_samples(data["Z"]);
  const Matrix y = tests::to_matrix(data["y"]);
  for (const FitMethod method : kAllMethods) {
    CAPTURE(fit_method_name(method));
    const FitResult result = fit_by(samples, y, method);
    CHECK(tests::close(16 * result.training_error, 82.98144771779077, 1e-12, 0));
    CHECK(tests::largest_difference(result.coefficients, tests::to_matrix(data["C"])) < 1e-12);
    const Vector expected = tests::to_vector(data["singular_values"]);
    for (Index i = 0; i < 4; ++i)
      CHECK(tests::close(result.singular_values(i), expected(i), 1e-9, 0));
  }
}

TEST_CASE(
    "realizable Gaussian data are recovered to rounding with at most min(d_out d, d^2) heads") {
  const struct {
    Index d, samples, length, outputs;
  } sizes[] = {{2, 512, 6, 2}, {4, 2048, 6, 1}, {4, 2048, 6, 4}, {8, 16384, 16, 8}};
  for (const auto& [d, samples, length, outputs] : sizes) {
    CAPTURE(d);
    const Prompts prompts = tests::gaussian_prompts(samples, length, d, 20);
    const Prompts unseen = tests::gaussian_prompts(300, length, d, 21);
    const Heads truth = tests::gaussian_heads(1, outputs, d, 22);
    const FitResult result = fit(last_samples(prompts), tests::outputs_of(truth, prompts));
    CHECK(result.method == "cholesky");
    CHECK(result.training_error < 1e-24 * result.target_variance);
    CHECK((result.coefficients - coefficients(truth)).norm() < 1e-11);
    CHECK(static_cast<Index>(result.heads.size()) <= std::min(outputs * d, d * d));
    const Matrix expected = tests::outputs_of(truth, unseen);
    const Matrix error = tests::outputs_of(result.heads, unseen) - expected;
    CHECK(error.squaredNorm() < 1e-24 * expected.squaredNorm());
  }
}

TEST_CASE("the fit is the pseudo-inverse solution of the paper's own problem, also when singular") {
  // Six coordinates' worth of data in various states: full rank, few samples, one-token prompts.
  struct Data {
    Index count, length, d;
  };
  for (const Data& data : {Data{60, 4, 3}, Data{11, 4, 3}, Data{60, 1, 3}}) {
    CAPTURE(data.count);
    CAPTURE(data.length);
    const Samples samples =
        last_samples(tests::gaussian_prompts(data.count, data.length, data.d, 30));
    RandomStream random(31, 31);
    const Matrix y = random.gaussian_matrix(data.count, 2);
    const Matrix expected = literal_w(samples, y);
    for (const FitMethod method : kAllMethods) {
      CAPTURE(fit_method_name(method));
      const FitResult result = fit_by(samples, y, method);
      const double scale = expected.norm();
      CHECK((symmetric_w(result.coefficients, data.d) - expected).norm() < 1e-10 * scale);
      CHECK(result.rank == std::min(data.count, data.length == 1 ? Index{10} : Index{18}));
      CHECK((result.rank == 18 || !result.warnings.empty()));
    }
  }
}

TEST_CASE("near-collinear coordinates keep the accuracy of a QR") {
  // Coefficients' error of the QR in the specification's table: 3e-13, 2e-10, 5e-7.
  const double noise[] = {1e-1, 1e-2, 1e-3};
  const double allowed[] = {2e-12, 2e-9, 5e-6};
  for (int i = 0; i < 3; ++i) {
    CAPTURE(noise[i]);
    RandomStream random(40, 40);
    Matrix tokens = random.gaussian_matrix(1024 * 6, 4);
    tokens.col(3) = tokens.col(0) + tokens.col(1) + noise[i] * tokens.col(3);
    const Prompts prompts = equal_prompts(tokens, 6);
    const Heads truth = tests::gaussian_heads(1, 4, 4, 41);
    const FitResult result = fit(last_samples(prompts), tests::outputs_of(truth, prompts));
    CHECK(result.method == (i == 0 ? "cholesky" : "tsqr"));
    const Matrix p = coefficients(truth);
    CHECK((result.coefficients - p).norm() < allowed[i] * p.norm());
    CHECK(result.training_error < 1e-26 * result.target_variance);
  }
}

TEST_CASE("coordinates of very different size do no harm") {
  RandomStream random(42, 42);
  Matrix tokens = random.gaussian_matrix(400 * 5, 3);
  tokens.col(1) *= 1e-5;
  tokens.col(2) *= 1e4;
  const Prompts prompts = equal_prompts(tokens, 5);
  const Heads truth = tests::gaussian_heads(1, 3, 3, 43);
  const FitResult result = fit(last_samples(prompts), tests::outputs_of(truth, prompts));
  CHECK(result.method == "cholesky");
  CHECK(result.condition < 100);
  // A coefficient counts by what it does to the output.
  const Matrix h = features(last_samples(prompts));
  const Matrix p = coefficients(truth);
  const double output = std::sqrt(result.target_variance);
  for (Index f = 0; f < 18; ++f)
    for (Index a = 0; a < 3; ++a)
      CHECK(std::fabs(result.coefficients(a, f) - p(a, f)) * h.col(f).norm() / 20 < 1e-13 * output);
  CHECK(result.training_error < 1e-28 * result.target_variance);
}

TEST_CASE("weights count samples and ridge is the regularised normal equation") {
  const Samples samples = last_samples(tests::gaussian_prompts(40, 3, 2, 50));
  RandomStream random(51, 51);
  const Matrix y = random.gaussian_matrix(40, 2);
  Vector w(40);
  for (Index i = 0; i < 40; ++i)
    w(i) = static_cast<double>(i % 3);
  const Matrix f = features(samples);
  const double ridge = 0.3;
  Eigen::MatrixXd normal = f.transpose() * w.asDiagonal() * f;
  const Eigen::MatrixXd right = f.transpose() * w.asDiagonal() * y;
  const Eigen::MatrixXd plain = normal.fullPivHouseholderQr().solve(right).transpose();
  normal.diagonal() += ridge * w.sum() * gauge_weights(2);
  const Eigen::MatrixXd ridged = normal.fullPivHouseholderQr().solve(right).transpose();
  for (const FitMethod method : kAllMethods) {
    CAPTURE(fit_method_name(method));
    FitOptions options;
    options.method = method;
    options.weights = w;
    CHECK((fit(samples, y, options).coefficients - plain).norm() < 1e-12);
    options.ridge = ridge;
    CHECK((fit(samples, y, options).coefficients - ridged).norm() < 1e-12);
  }
}

TEST_CASE("no model of few heads is below the least-squares loss") {
  const Samples samples = last_samples(tests::gaussian_prompts(300, 4, 3, 60));
  RandomStream random(61, 61);
  const Matrix y = random.gaussian_matrix(300, 3);
  const FitResult result = fit(samples, y);
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Matrix c = coefficients(tests::gaussian_heads(2, 3, 3, 100 + seed));
    const Matrix near = result.coefficients + 1e-3 * c;
    CHECK((predict(c, samples) - y).squaredNorm() / 300 > result.training_error);
    CHECK((predict(near, samples) - y).squaredNorm() / 300 > result.training_error);
  }
}

TEST_CASE("fits are the same however they are cut, and progress only grows") {
  const Samples samples = last_samples(tests::gaussian_prompts(600, 4, 4, 70));
  RandomStream random(71, 71);
  const Matrix y = random.gaussian_matrix(600, 4);
  for (const FitMethod method : {FitMethod::kAuto, FitMethod::kSvd, FitMethod::kDual}) {
    FitOptions options;
    options.method = method;
    Fit run(samples, y, options);
    double before = 0;
    while (!run.step()) {
      CHECK(run.progress() >= before - 1e-12);
      CHECK(run.progress() <= 1);
      before = run.progress();
    }
    CHECK(run.progress() == 1);
    CHECK(run.result().coefficients == fit_by(samples, y, method).coefficients);
  }
}

TEST_CASE("bad input is refused by name before any work") {
  const Samples samples = last_samples(tests::gaussian_prompts(10, 2, 2, 80));
  const Matrix y = Matrix::Ones(10, 1);
  const auto parameter = [&](const Matrix& targets, const FitOptions& options) -> std::string {
    try {
      Fit run(samples, targets, options);
    } catch (const Error& error) {
      return std::string(error_code_name(error.code())) + " " + error.parameter();
    }
    return "";
  };
  CHECK(parameter(Matrix::Ones(9, 1), {}) == "shape targets");
  CHECK(parameter(Matrix(10, 0), {}) == "shape targets");
  Matrix bad = y;
  bad(3, 0) = std::numeric_limits<double>::infinity();
  CHECK(parameter(bad, {}) == "not-finite targets");
  FitOptions options;
  options.ridge = -1;
  CHECK(parameter(y, options) == "out-of-range ridge");
  options = {};
  options.weights = Vector::Zero(10);
  CHECK(parameter(y, options) == "out-of-range weights");
  options.weights = Vector::Ones(3);
  CHECK(parameter(y, options) == "shape weights");
  options = {};
  options.memory_limit = 1000;
  CHECK(parameter(y, options) == "too-large prompts");
  CHECK_THROWS_AS(fit_method("choleski"), Error);
}

TEST_CASE("constant targets and prompts of zeros get a stated verdict") {
  const Samples samples = last_samples(equal_prompts(Matrix::Zero(12, 2), 3));
  const FitResult zero = fit(samples, Matrix::Ones(4, 1));
  CHECK(zero.rank == 0);
  CHECK(zero.coefficients == Matrix::Zero(1, 6));
  CHECK(zero.training_error == 1);
  CHECK(zero.target_variance == 0);
  CHECK(zero.warnings.size() == 2);
  CHECK(zero.warnings.front() == "the targets are constant");
  for (const FitMethod method : kAllMethods)
    CHECK(fit_by(samples, Matrix::Ones(4, 1), method).coefficients == Matrix::Zero(1, 6));
}

TEST_CASE("targets too small for their squares are not called constant") {
  const Samples samples = last_samples(tests::gaussian_prompts(30, 3, 2, 81));
  const FitResult found = fit(samples, 1e-170 * features(samples).leftCols(1));
  CHECK(found.warnings.front() == "the targets differ by less than squares of doubles can tell");
}

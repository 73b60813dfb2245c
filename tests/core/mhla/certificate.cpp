#include "mhla/certificate.h"

#include <doctest/doctest.h>
#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>

#include <cmath>
#include <memory>
#include <string>

#include "core/error.h"
#include "mhla/cases.h"
#include "mhla/fit.h"
#include "mhla/random_data.h"

using namespace attnlab;
using namespace attnlab::mhla;

namespace {

// Runs a certificate to its end; the object answers per-input questions.
std::unique_ptr<Certificate> certify(const Samples& samples, CertificateOptions options = {}) {
  auto run = std::make_unique<Certificate>(samples, options);
  while (!run->step()) {
  }
  return run;
}

Samples tokens_of(Index count, Index length, const Matrix& tokens) {
  return last_samples(equal_prompts(tokens.topRows(count * length), length));
}

}  // namespace

TEST_CASE("rank and extreme eigenvalues of the fixed cases") {
  struct Case {
    const char* name;
    Index rank, psi;
    double smallest, largest;
  };
  for (const Case& expected :
       {Case{"mhla-cert_d2_full", 6, 6, 54.71149251369071, 2528.1173640536726},
        Case{"mhla-cert_d2_n1", 4, 6, 0, 385.13351803502616},
        Case{"mhla-cert_onehot_d3", 9, 18, 0, 0.7080312581410013},
        Case{"mhla-cert_assoc_unitary_d2", 36, 40, 0, 590.0817313002386}}) {
    CAPTURE(std::string(expected.name));
    const auto run = certify(tests::case_samples(tests::reference(expected.name)["Z"]));
    const CertificateResult& result = run->result();
    CHECK(result.rank == expected.rank);
    CHECK(result.dimension == expected.psi);
    CHECK(result.identifiable == (expected.rank == expected.psi));
    CHECK(tests::close(result.minimum_eigenvalue, expected.smallest, 1e-9, 0));
    CHECK(tests::close(result.maximum_eigenvalue, expected.largest, 1e-9, 0));
    CHECK(result.null_space.cols() == expected.psi - expected.rank);
  }
}

TEST_CASE("the leverage of the fixed case, and the uniform bound beside it") {
  const auto& data = tests::reference("mhla-pointwise_d2");
  const auto run = certify(tests::case_samples(tests::reference("mhla-cert_d2_full")["Z"]));
  const Samples query = tests::case_samples(nlohmann::json::array({data["Z"]}));
  const PerInput input = run->at(query, 0);
  CHECK(input.determined);
  CHECK(tests::close(input.leverage, 28.64845778310883, 1e-9, 0));
  const Matrix prompt = tests::to_matrix(data["Z"]).transpose();
  const double norm_cubed = std::pow(prompt.norm(), 3);
  const double printed = uniform_disagreement(1, run->result().minimum_eigenvalue, norm_cubed);
  // The case lists |Z|_F^6 / lambda_min, without the 4 that two minimisers need.
  CHECK(tests::close(printed * printed / 4, 1556.9672126689698, 1e-9, 0));
  CHECK(features(query).norm() <= norm_cubed);
}

TEST_CASE("singular data get a zero eigenvalue and the right rank at d = 4") {
  RandomStream random(100, 1);
  const Index count = 400, n = 6;
  const Matrix gaussian = random.gaussian_matrix(count * n, 4);
  Matrix signs = gaussian, bits = gaussian, dependent = gaussian, onehot = gaussian;
  for (Index t = 0; t < gaussian.rows(); ++t) {
    for (Index j = 0; j < 4; ++j) {
      signs(t, j) = gaussian(t, j) > 0 ? 1 : -1;
      bits(t, j) = gaussian(t, j) > 0 ? 1 : 0;
    }
    dependent(t, 3) = gaussian(t, 0) - 2 * gaussian(t, 1);
    onehot.row(t).setZero();
    onehot(t, static_cast<Index>(random.below(4))) = 1;
  }
  Matrix constant = gaussian;
  constant.col(3).setOnes();
  Matrix white = gaussian;
  for (Index i = 0; i < count; ++i) {
    const Eigen::MatrixXd z = gaussian.middleRows(i * n, n);
    const Eigen::HouseholderQR<Eigen::MatrixXd> qr(z);
    white.middleRows(i * n, n) = qr.householderQ() * Eigen::MatrixXd::Identity(n, 4);
  }
  struct Data {
    const char* name;
    const Matrix* tokens;
    Index count, length, rank, proven;
  };
  for (const Data& data :
       {Data{"Gaussian", &gaussian, 400, 6, 40, -1}, Data{"signs", &signs, 400, 6, 28, 28},
        Data{"bits", &bits, 400, 6, 40, 40}, Data{"constant row", &constant, 400, 6, 40, -1},
        Data{"dependent rows", &dependent, 400, 6, 18, -1}, Data{"white", &white, 400, 6, 4, -1},
        Data{"one-hot", &onehot, 400, 6, 16, 16}, Data{"one token", &gaussian, 400, 1, 20, -1},
        Data{"30 samples", &gaussian, 30, 6, 30, -1}, Data{"39 samples", &gaussian, 39, 6, 39, -1},
        Data{"40 samples", &gaussian, 40, 6, 40, -1}}) {
    CAPTURE(std::string(data.name));
    const auto run = certify(tokens_of(data.count, data.length, *data.tokens));
    const CertificateResult& result = run->result();
    CHECK(result.rank == data.rank);
    CHECK(result.proven_rank == data.proven);
    CHECK(result.identifiable == (data.rank == 40));
    CHECK((result.minimum_eigenvalue == 0) == (data.rank < 40));
    CHECK(result.open_directions.empty() == (data.rank == 40));
    double share = 0;
    for (const auto& open : result.open_directions)
      share += open.share;
    CHECK(tests::close(share, static_cast<double>(40 - data.rank), 1e-10, 1e-12));
  }
}

TEST_CASE("Gaussian prompts of n tokens have a smallest eigenvalue near n - 1 for d = 3 and 4") {
  const auto& expected = tests::reference("mhla-gauss_population")["lambda_min"];
  struct Data {
    const char* name;
    Index d, n;
  };
  for (const Data& data :
       {Data{"d2_n2", 2, 2}, Data{"d2_n10", 2, 10}, Data{"d3_n5", 3, 5}, Data{"d4_n3", 4, 3}}) {
    CAPTURE(std::string(data.name));
    const Index count = 40000;
    const auto run = certify(last_samples(tests::gaussian_prompts(count, data.n, data.d, 7)));
    // A smallest sample eigenvalue is below the population's by a few per cent at this N.
    CHECK(
        tests::close(run->result().minimum_eigenvalue, expected[data.name].get<double>(), 0.06, 0));
  }
  const auto one = certify(last_samples(tests::gaussian_prompts(1000, 1, 3, 7)));
  CHECK(one->result().minimum_eigenvalue == 0);
}

TEST_CASE("a null vector changes outputs off the data and not the training loss") {
  RandomStream random(101, 1);
  Matrix tokens(300 * 5, 3);
  for (Index t = 0; t < tokens.rows(); ++t)
    for (Index j = 0; j < 3; ++j)
      tokens(t, j) = random.uniform() < 0.5 ? -1 : 1;
  const Samples samples = tokens_of(300, 5, tokens);
  const auto run = certify(samples);
  CHECK(run->result().rank == 12);  // 18 - d (d - 1)
  const Samples other = last_samples(tests::gaussian_prompts(50, 5, 3, 8));
  const Matrix truth = random.gaussian_matrix(1, 18);
  const Matrix moved = truth + 5 * run->result().null_space.col(2).transpose();
  CHECK(tests::largest_difference(predict(truth, samples), predict(moved, samples)) < 1e-12);
  CHECK((predict(truth, other) - predict(moved, other)).norm() > 1);
  // The per-input certificate knows which is which.
  for (Index i = 0; i < 20; ++i) {
    CHECK(run->at(samples, i).determined);
    CHECK_FALSE(run->at(other, i).determined);
  }
}

TEST_CASE("the leverage bound is attained by the extremal perturbation") {
  const Samples samples = last_samples(tests::gaussian_prompts(100, 4, 2, 9));
  const Samples query = last_samples(tests::gaussian_prompts(1, 4, 2, 10));
  const auto run = certify(samples);
  const Matrix f = features(samples);
  const Matrix h = features(query);
  const Eigen::MatrixXd lambda = f.transpose() * f / 100;
  const Eigen::VectorXd direction = lambda.llt().solve(Eigen::MatrixXd(h.transpose()));
  const double excess = 1e-3;
  // Two coefficient vectors, either side of the minimiser, of excess loss `excess` each.
  const Eigen::VectorXd step =
      direction * std::sqrt(excess / (direction.transpose() * lambda * direction).value());
  CHECK(tests::close((step.transpose() * lambda * step).value(), excess, 1e-12, 0));
  const double reached = 2 * (h * step).value();
  const double bound = largest_disagreement(excess, run->at(query, 0).leverage);
  CHECK(tests::close(reached, bound, 1e-10, 0));
  CHECK(bound <= uniform_disagreement(excess, run->result().minimum_eigenvalue, h.norm()));
}

TEST_CASE("the kernel form and the primal form give the same certificate") {
  // d = 9: psi = 405 is primal; d = 11: psi = 726 with fewer samples goes by the kernel.
  const Samples samples = last_samples(tests::gaussian_prompts(60, 3, 11, 11));
  const auto dual = certify(samples);
  CHECK(dual->result().method == "kernel");
  CHECK(dual->result().rank == 60);
  CHECK(dual->result().minimum_eigenvalue == 0);
  const Matrix f = features(samples);
  const Eigen::MatrixXd small = f * f.transpose() / 60;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(small);
  CHECK(tests::close(dual->result().maximum_eigenvalue, eigen.eigenvalues()(59), 1e-9, 0));
  // In the span of the data: determined, with the leverage of the primal formula.
  const Samples fresh = last_samples(tests::gaussian_prompts(1, 3, 11, 12));
  CHECK_FALSE(dual->at(fresh, 0).determined);
  for (Index i = 0; i < 5; ++i) {
    const PerInput input = dual->at(samples, i);
    CHECK(input.determined);
    CHECK(tests::close(input.leverage, 60, 1e-7, 0));  // independent samples: each stands alone
  }
}

TEST_CASE("the kernel form has the null space too, where it is asked for") {
  const Samples samples = last_samples(tests::gaussian_prompts(60, 3, 11, 11));
  const auto silent = certify(samples);
  CHECK(silent->result().null_space.size() == 0);
  CHECK(silent->result().warnings.size() == 1);  // 60 samples cannot determine 726 coefficients
  CertificateOptions options;
  options.null_space = true;
  const auto asked = certify(samples, options);
  REQUIRE(asked->result().method == "kernel");
  const Matrix& null = asked->result().null_space;
  REQUIRE(null.rows() == 726);
  REQUIRE(null.cols() == 666);
  CHECK((null.transpose() * null - Matrix::Identity(666, 666)).cwiseAbs().maxCoeff() < 1e-12);
  const Matrix f = features(samples);
  CHECK((f * null).cwiseAbs().maxCoeff() < 1e-12 * f.cwiseAbs().maxCoeff() * 726);
  const auto& open = asked->result().open_directions;
  REQUIRE(open.size() > 600);
  CHECK(open.front().share >= open.back().share);
  options.memory_limit = 8.0 * 726 * 700;
  CHECK_THROWS_WITH_AS(Certificate(samples, options), doctest::Contains("returnNullSpace: "),
                       Error);
}

TEST_CASE("prompts whose products would underflow are refused, down to there the rank is right") {
  const Samples samples = last_samples(tests::gaussian_prompts(60, 3, 3, 14));
  const auto scaled = [&](double size) {
    return Samples{size * size * samples.grams, size * samples.queries};
  };
  for (const double size : {1.0, 1e-20, 1e-44}) {
    CAPTURE(size);
    CHECK(certify(scaled(size))->result().rank == 18);
  }
  for (const double size : {1e-46, 1e-60, 1e-200}) {
    CAPTURE(size);
    CHECK_THROWS_WITH_AS(Certificate(scaled(size)), doctest::Contains("prompts: "), Error);
    CHECK_THROWS_WITH_AS(Fit(scaled(size), Matrix::Ones(60, 1)), doctest::Contains("prompts: "),
                         Error);
  }
}

TEST_CASE("a column too small beside the others is told, one of nothing but 0 is none") {
  const auto warnings = [](double size) {
    Prompts prompts = tests::gaussian_prompts(60, 3, 3, 14);
    prompts.tokens.col(1) *= size;
    return certify(last_samples(prompts))->result().warnings;
  };
  for (const double size : {1e-54, 1e-100, 1e-300}) {
    CAPTURE(size);
    REQUIRE(warnings(size).size() == 1);
    CHECK(warnings(size).front().find("column 2 ") == 0);
  }
  for (const double size : {1.0, 1e-40, 0.0})
    CHECK(warnings(size).empty());
}

TEST_CASE("a certificate refuses bad input by name") {
  const Samples samples = last_samples(tests::gaussian_prompts(4, 2, 2, 13));
  CertificateOptions options;
  options.weights = Vector::Ones(3);
  CHECK_THROWS_WITH_AS(Certificate(samples, options), "weights: has 3 entries; 4 samples are given",
                       Error);
  options.weights = Vector();
  options.memory_limit = 10;
  CHECK_THROWS_AS(Certificate(samples, options), Error);
}

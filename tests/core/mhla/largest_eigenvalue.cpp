#include "mhla/largest_eigenvalue.h"

#include <doctest/doctest.h>

#include <cmath>

#include "mhla/certificate.h"

using namespace attnlab;
using namespace attnlab::mhla;

namespace {

double largest_of(const Eigen::VectorXd& eigenvalues) {
  LargestEigenvalue search(eigenvalues.size(), [&](const Eigen::VectorXd& x) {
    return Eigen::VectorXd(eigenvalues.cwiseProduct(x));
  });
  while (!search.step()) {
  }
  return search.value();
}

}  // namespace

TEST_CASE("an eigenvalue is found at any size, also where its square is no double") {
  const Eigen::VectorXd eigenvalues = (Eigen::VectorXd(4) << 1, 5, 2, 3).finished();
  for (const double size : {1.0, 1e-300, 1e-200, 1e200, 1e300}) {
    CAPTURE(size);
    CHECK(std::fabs(largest_of(size * eigenvalues) / (5 * size) - 1) < 1e-10);
  }
  CHECK(largest_of(Eigen::VectorXd::Zero(3)) == 0);
}

TEST_CASE("a certificate scales with the sixth power of the tokens, as far as they may go") {
  // One prompt of one token x in one dimension: Lambda = x^6.
  for (const double x : {1e-30, 1.0, 3.5e38, 1e45}) {
    CAPTURE(x);
    Certificate certificate(last_samples(equal_prompts(Matrix::Constant(1, 1, x), 1)));
    while (!certificate.step()) {
    }
    const auto& found = certificate.result();
    const double expected = std::pow(x, 6);
    CHECK(std::fabs(found.maximum_eigenvalue / expected - 1) < 1e-10);
    CHECK(std::fabs(found.minimum_eigenvalue / expected - 1) < 1e-10);
  }
}

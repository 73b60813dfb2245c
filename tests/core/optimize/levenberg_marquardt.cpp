#include "optimize/levenberg_marquardt.h"

#include <doctest/doctest.h>

#include "core/error.h"
#include "core/random.h"
#include "reference.h"

using namespace attnlab;
using namespace attnlab::optimize;

TEST_CASE("a linear problem is solved to its normal equations") {
  RandomStream random(1, 1);
  const Eigen::MatrixXd a = random.gaussian_matrix(20, 5);
  const Eigen::VectorXd b = random.gaussian_vector(20);
  const Minimum minimum = minimise_squares(
      [&](const Vector& x, Vector& residual, Eigen::MatrixXd& jacobian) {
        residual = a * x - b;
        jacobian = a;
      },
      Vector::Zero(5));
  const Eigen::VectorXd gradient = a.transpose() * (a * minimum.point - b);
  CHECK(gradient.norm() < 1e-10);
}

TEST_CASE("Rosenbrock's valley as a sum of squares is followed to rounding") {
  const Minimum minimum = minimise_squares(
      [](const Vector& x, Vector& residual, Eigen::MatrixXd& jacobian) {
        residual = Vector{{10 * (x(1) - x(0) * x(0)), 1 - x(0)}};
        jacobian.resize(2, 2);
        jacobian << -20 * x(0), 10, -1, 0;
      },
      Vector{{-1.2, 1.0}});
  CHECK(minimum.value < 1e-28);
  CHECK(minimum.evaluations < 60);
}

TEST_CASE("more unknowns than residuals: some exact solution is found") {
  RandomStream random(2, 2);
  const Eigen::MatrixXd a = random.gaussian_matrix(3, 9);
  const Minimum minimum = minimise_squares(
      [&](const Vector& x, Vector& residual, Eigen::MatrixXd& jacobian) {
        residual = a * x.cwiseProduct(x) - Vector::Ones(3);
        jacobian = 2 * a * x.asDiagonal();
      },
      random.gaussian_vector(9));
  CHECK(minimum.value < 1e-26);
}

TEST_CASE("a start that is not finite stops at once") {
  LevenbergMarquardt search(Vector::Ones(1));
  search.tell(Vector{{1.0 / 0.0}}, Eigen::MatrixXd::Ones(1, 1));
  CHECK(search.reason() == StopReason::kNotFinite);
  CHECK_THROWS_AS(LevenbergMarquardt{Vector()}, Error);
}

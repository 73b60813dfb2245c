#include "optimize/lbfgs.h"

#include <doctest/doctest.h>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "core/random.h"
#include "reference.h"

using namespace attnlab;
using namespace attnlab::optimize;
using attnlab::tests::close;

namespace {

// Chained Rosenbrock; minimum 0 at ones.
double rosenbrock(const Vector& x, Vector& gradient) {
  gradient.setZero();
  double value = 0;
  for (Index i = 0; i + 1 < x.size(); ++i) {
    const double a = x[i + 1] - x[i] * x[i];
    const double b = 1 - x[i];
    value += 100 * a * a + b * b;
    gradient[i] += -400 * a * x[i] - 2 * b;
    gradient[i + 1] += 200 * a;
  }
  return value;
}

}  // namespace

TEST_CASE("a badly scaled quadratic is solved to its linear system's solution") {
  const Index n = 30;
  RandomStream random(1, 1);
  const Matrix root = random.gaussian_matrix(n, n);
  Matrix a = root * root.transpose() / static_cast<double>(n);
  a.diagonal().array() += 0.01;
  const Vector expected = random.gaussian_vector(n);
  const Vector b = a * expected;
  const auto quadratic = [&](const Vector& x, Vector& gradient) {
    gradient = a * x - b;
    return 0.5 * x.dot(gradient - b);
  };
  LbfgsOptions options;
  options.gradient_tolerance = 1e-11;
  options.value_tolerance = 0;
  const Minimum minimum = minimise(quadratic, Vector::Zero(n), options);
  CHECK(attnlab::tests::largest_difference(minimum.point, expected) < 1e-8);
  CHECK(minimum.evaluations < 400);
}

TEST_CASE("Rosenbrock's valley is followed to its end") {
  for (const Index n : {2, 10, 50}) {
    Vector start = Vector::Constant(n, -1.2);
    for (Index i = 1; i < n; i += 2)
      start[i] = 1;
    const Minimum minimum = minimise(rosenbrock, start);
    CHECK(minimum.reason == StopReason::kGradient);
    CHECK(minimum.value < 1e-14);
    CHECK(minimum.evaluations < 600);
  }
}

TEST_CASE("asking and telling by hand takes the same steps as minimise") {
  const Vector start = Vector::Constant(4, -1);
  const Minimum whole = minimise(rosenbrock, start);
  Lbfgs search(start);
  Vector gradient(4);
  while (search.running()) {
    const double value = rosenbrock(search.point(), gradient);
    search.tell(value, gradient);
  }
  CHECK(search.best() == whole.point);
  CHECK(search.evaluations() == whole.evaluations);
}

TEST_CASE("a function that is infinite beyond a wall is minimised before the wall") {
  const auto wall = [](const Vector& x, Vector& gradient) {
    if (x[0] >= 1) return std::numeric_limits<double>::infinity();
    gradient[0] = -1 + 1 / (1 - x[0]);
    return -x[0] - std::log(1 - x[0]);
  };
  LbfgsOptions options;
  options.first_step = 100;
  const Minimum minimum = minimise(wall, Vector::Constant(1, -5), options);
  CHECK(close(minimum.point[0], 0, 0, 1e-7));
}

TEST_CASE("the search stops for the reason it gives") {
  LbfgsOptions options;
  options.largest_evaluations = 7;
  CHECK(minimise(rosenbrock, Vector::Constant(10, -1), options).reason == StopReason::kEvaluations);
  CHECK(minimise(rosenbrock, Vector::Constant(10, -1), options).evaluations == 7);
  CHECK(minimise(rosenbrock, Vector::Ones(3)).reason == StopReason::kGradient);
  const auto broken = [](const Vector&, Vector& gradient) {
    gradient.setZero();
    return std::nan("");
  };
  CHECK(minimise(broken, Vector::Ones(2)).reason == StopReason::kNotFinite);
  const auto kink = [](const Vector& x, Vector& gradient) {
    gradient[0] = x[0] < 0.3 ? -1 : 2;
    return std::fmax(0.3 - x[0], 2 * (x[0] - 0.3));
  };
  const Minimum at_kink = minimise(kink, Vector::Constant(1, 5.0));
  CHECK(at_kink.reason != StopReason::kEvaluations);
  CHECK(close(at_kink.point[0], 0.3, 0, 1e-6));
}

TEST_CASE("a start that is not finite or empty is refused by name") {
  CHECK_THROWS_WITH_AS(Lbfgs(Vector(0)), doctest::Contains("start"), Error);
  CHECK_THROWS_WITH_AS(Lbfgs(Vector::Constant(2, std::nan(""))), doctest::Contains("start"), Error);
  LbfgsOptions options;
  options.memory = 0;
  CHECK_THROWS_WITH_AS(Lbfgs(Vector::Ones(2), options), doctest::Contains("memory"), Error);
}

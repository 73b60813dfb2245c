#include "needle/proximal.h"

#include <doctest/doctest.h>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "core/random.h"
#include "reference.h"

using namespace attnlab;
using namespace attnlab::needle;
using attnlab::tests::close;

namespace {

struct Draw {
  Vector key, value;
  double label;
};

Draw draw(RandomStream& random, Index length) {
  return {1.5 * random.gaussian_vector(length), 1.2 * random.gaussian_vector(length),
          2 * random.gaussian()};
}

}  // namespace

TEST_CASE("softmax's proximal point at two tokens is the lowest point of a fine scan of its line") {
  RandomStream random(1, 1);
  const ProximalSolver solver(Kernel::kSoftmax, 2, 3.0, 0.8);
  for (int n = 0; n < 200; ++n) {
    const Draw d = draw(random, 2);
    const ProximalProblem problem{d.key.data(), d.value.data(), d.label};
    ProximalPoint point;
    solver.solve(problem, point);
    const double energy = solver.energy(problem, point.scores);
    double lowest = 1e300;
    for (int i = -600; i <= 600; ++i) {
      const double t = 0.02 * i;
      const double scores[2] = {d.key[0] + t, d.key[1] - t};
      lowest = std::fmin(lowest, solver.energy(problem, scores));
    }
    CHECK(energy <= lowest + 1e-9);
    CHECK(energy >= lowest - 5e-3);
  }
}

TEST_CASE("linear attention's proximal point beats random starts of plain descent") {
  RandomStream random(2, 1);
  const ProximalSolver solver(Kernel::kLinear, 3, 1.3, 0.6);
  for (int n = 0; n < 60; ++n) {
    const Draw d = draw(random, 3);
    const ProximalProblem problem{d.key.data(), d.value.data(), d.label};
    ProximalPoint point;
    solver.solve(problem, point);
    const double energy = solver.energy(problem, point.scores);
    for (int trial = 0; trial < 200; ++trial) {
      const Vector scores = d.key + 2 * random.gaussian_vector(3);
      CHECK(energy <= solver.energy(problem, scores.data()) + 1e-9);
    }
    for (Index l = 0; l < 3; ++l) {
      Vector up = Eigen::Map<const Vector>(point.scores, 3), down = up;
      up[l] += 1e-4;
      down[l] -= 1e-4;
      const double slope =
          (solver.energy(problem, up.data()) - solver.energy(problem, down.data())) / 2e-4;
      CHECK(close(slope, 0, 0, 1e-6));
    }
  }
}

TEST_CASE("linear attention's proximal point where its fields are alike, or nearly so") {
  // One token with w_v = 1 + w_k = -20 and equal variances V: s + z = -20, s z = y - rho, rho =
  // -1/V.
  const double V = 1096;
  const ProximalSolver solver(Kernel::kLinear, 1, V, V);
  for (const double apart : {0.0, 1e-300, 1e-12, 1e-8}) {
    CAPTURE(apart);
    const double key = -21 + apart, value = -20;
    ProximalPoint point;
    solver.solve({&key, &value, -32}, point);
    CHECK(close(solver.energy({&key, &value, -32}, point.scores), 0.21167841587191646, 1e-9, 0));
    CHECK(close(point.residual, -1 / V, 1e-6, 0));
    CHECK(close(point.weights[0] + point.outputs[0], -20, 1e-8, 0));
  }
  // No score is better.
  const double key = -21, value = -20;
  ProximalPoint point;
  solver.solve({&key, &value, -32}, point);
  const double least = solver.energy({&key, &value, -32}, point.scores);
  for (double score = -60; score < 60; score += 0.01)
    REQUIRE(solver.energy({&key, &value, -32}, &score) >= least - 1e-12);
}

TEST_CASE("the response is the derivative of the proximal point in its fields") {
  RandomStream random(3, 1);
  for (const Kernel kernel : {Kernel::kSoftmax, Kernel::kLinear}) {
    const double key_variance = 0.7, value_variance = 0.5;
    const ProximalSolver solver(kernel, 3, key_variance, value_variance);
    for (int n = 0; n < 20; ++n) {
      const Draw d = draw(random, 3);
      const auto pulls = [&](const Vector& key, const Vector& value, double label) {
        ProximalPoint point;
        const ProximalProblem problem{key.data(), value.data(), label};
        solver.solve(problem, point);
        Vector pull(6);
        for (Index l = 0; l < 3; ++l) {
          pull[l] = (point.scores[l] - key[l]) / key_variance;
          pull[3 + l] = point.residual * point.weights[l];
          // The two forms of g_v are the same number.
          CHECK(close((point.outputs[l] - value[l]) / value_variance, pull[3 + l], 1e-10, 1e-11));
        }
        return pull;
      };
      ProximalPoint point;
      ProximalResponse response;
      const ProximalProblem problem{d.key.data(), d.value.data(), d.label};
      solver.solve(problem, point);
      REQUIRE(solver.respond(problem, point, response));
      const double h = 1e-5;
      double key_trace = 0, value_trace = 0, kk = 0, kv = 0, vv = 0;
      for (Index l = 0; l < 3; ++l) {
        const Vector move = h * Vector::Unit(3, l);
        const Vector by_key =
            (pulls(d.key + move, d.value, d.label) - pulls(d.key - move, d.value, d.label)) /
            (2 * h);
        const Vector by_value =
            (pulls(d.key, d.value + move, d.label) - pulls(d.key, d.value - move, d.label)) /
            (2 * h);
        key_trace += by_key[l];
        value_trace += by_value[3 + l];
        kk += by_key.head(3).squaredNorm();
        kv += by_value.head(3).squaredNorm();
        vv += by_value.tail(3).squaredNorm();
      }
      const double by_label =
          (pulls(d.key, d.value, d.label + h) - pulls(d.key, d.value, d.label - h))[3] / (2 * h);
      CHECK(close(response.key_trace, key_trace, 1e-4, 1e-5));
      CHECK(close(response.value_trace, value_trace, 1e-4, 1e-5));
      CHECK(close(response.key_key, kk, 1e-4, 1e-5));
      CHECK(close(response.key_value, kv, 1e-4, 1e-5));
      CHECK(close(response.value_value, vv, 1e-4, 1e-5));
      CHECK(close(response.label_slope, by_label, 1e-4, 1e-5));
    }
  }
}

TEST_CASE("kernels without a proximal point here are refused") {
  CHECK_THROWS_AS(ProximalSolver(Kernel::kErf, 3, 1, 1), Error);
  CHECK_THROWS_AS(ProximalSolver(Kernel::kSoftmax, 9, 1, 1), Error);
}

TEST_CASE("variances without a proximal point are refused") {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double bad : {0.0, -1.0, infinity, std::numeric_limits<double>::quiet_NaN()}) {
    CHECK_THROWS_AS(ProximalSolver(Kernel::kLinear, 1, bad, 1), Error);
    CHECK_THROWS_AS(ProximalSolver(Kernel::kSoftmax, 1, 1, bad), Error);
  }
}

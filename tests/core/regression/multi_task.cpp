#include "regression/multi_task.h"

#include <doctest/doctest.h>

#include <cmath>

#include "core/random.h"
#include "reference.h"
#include "regression/heads.h"

using namespace attnlab;
using attnlab::tests::close;

namespace {

regression::TaskSetting table_setting() {
  return {(Vector(2) << 6, 6).finished(), 400, 0.5};
}

regression::TaskHeads two_heads(double o00, double o01, double o10, double o11, double m00,
                                double m01, double m10, double m11) {
  return {(Matrix(2, 2) << o00, o01, o10, o11).finished(),
          (Matrix(2, 2) << m00, m01, m10, m11).finished()};
}

}  // namespace

TEST_CASE("the multi-task gradient is that of finite differences") {
  RandomStream random(1, 23);
  const regression::TaskSetting setting{(Vector(3) << 2, 4, 3).finished(), 50, 0.3};
  for (int point = 0; point < 10; ++point) {
    const regression::TaskHeads heads{0.3 * random.gaussian_matrix(2, 3),
                                      random.gaussian_matrix(2, 3)};
    const auto found = regression::task_loss(setting, heads);
    CHECK(close(found.loss, found.task_losses.sum(), 1e-15, 0));
    const double h = 1e-5;
    for (Index i = 0; i < 2; ++i)
      for (Index j = 0; j < 3; ++j) {
        const auto slope = [&](bool of_mu) {
          regression::TaskHeads up = heads;
          regression::TaskHeads down = heads;
          (of_mu ? up.mu : up.omega)(i, j) += h;
          (of_mu ? down.mu : down.omega)(i, j) -= h;
          return (regression::task_loss(setting, up).loss -
                  regression::task_loss(setting, down).loss) /
                 (2 * h);
        };
        CHECK(close(found.omega(i, j), slope(false), 1e-6, 1e-7));
        CHECK(close(found.mu(i, j), slope(true), 1e-6, 1e-7));
      }
  }
}

TEST_CASE("one task is the approximate loss of the heads, in other units") {
  // w ~ N(0, I) against w ~ N(0, I / d): labels and noise are sqrt(d) times as large.
  const regression::TaskSetting setting{Vector::Constant(1, 5.0), 40, 0.5};
  const Vector omega = (Vector(2) << 0.2, -0.1).finished();
  const Vector mu = (Vector(2) << 2, -1).finished();
  const double single = regression::approximate_heads({5, 40, 0.1}, omega, mu).loss - 0.1;
  CHECK(close(regression::task_loss(setting, {omega, mu}).loss, 5 * single, 1e-13, 0));
  const double exact = regression::first_order_heads_risk({5, 40, 0.1}, omega, mu) - 0.1;
  CHECK(close(regression::first_order_task_loss(setting, {omega, mu}), 5 * exact, 1e-13, 0));
}

TEST_CASE("dedicated heads have the plateau .508 and shared ones .974") {
  const auto setting = table_setting();
  CHECK(close(regression::dedicated_risk(setting, 0) * 2, .508, 0, 5e-4));
  CHECK(close(regression::shared_risk(setting, 0) * 2, .974, 0, 5e-4));
  const double x = std::exp(1.0) * 6.5 / 400;
  const double own = 1 / std::sqrt(6.0);
  const double weight = std::sqrt(6.0) / (1 + x);
  const auto dedicated = two_heads(own, 0, 0, own, weight, 0, 0, weight);
  CHECK(close(regression::task_loss(setting, dedicated).loss,
              2 * regression::dedicated_risk(setting, 0), 1e-12, 0));
  CHECK(close(regression::first_order_task_loss(setting, dedicated), .777, 0, 1e-3));
  const double y = std::exp(1.0) * 12 * (1 + 0.5 / 6) / 400;
  const double shared = 1 / std::sqrt(12.0);
  const double shared_weight = std::sqrt(12.0) / (1 + y);
  const auto one = two_heads(shared, shared, 0, 0, shared_weight, shared_weight, 0, 0);
  CHECK(close(regression::task_loss(setting, one).loss, 2 * regression::shared_risk(setting, 0),
              1e-12, 0));
  CHECK(close(regression::first_order_task_loss(setting, one), 1.169, 0, 1e-3));
}

TEST_CASE(
    "the flow leaves the dedicated plateau for superposition, and an even start stays shared") {
  const auto setting = table_setting();
  const double small = 0.1;
  const auto start = two_heads(small, 0.02, 0.02, small, small, 0.02, 0.02, small);
  const auto states = regression::task_flow(setting, start, {400});
  const double end = regression::task_loss(setting, states[0]).loss;
  CHECK(close(end, .383, 0, 2e-3));
  CHECK(end < 0.9 * 2 * regression::dedicated_risk(setting, 0));
  const auto even = two_heads(small, small, small, small, small, small, small, small);
  const auto stuck = regression::task_flow(setting, even, {60});
  CHECK(close(regression::task_loss(setting, stuck[0]).loss,
              2 * regression::shared_risk(setting, 0), 1e-4, 0));
}

TEST_CASE("no heads at all are refused by name") {
  const regression::TaskHeads none{Matrix(0, 2), Matrix(0, 2)};
  CHECK_THROWS_WITH(regression::task_loss(table_setting(), none), "omega: is empty");
  CHECK_THROWS_WITH(regression::first_order_task_loss(table_setting(), none), "omega: is empty");
  CHECK_THROWS_WITH(regression::task_flow(table_setting(), none, std::vector<double>{1.0}),
                    "omega: is empty");
}

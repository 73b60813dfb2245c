#include "regression/infinite_prompt.h"

#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>

#include "core/error.h"
#include "core/random.h"
#include "reference.h"
#include "regression/integrate.h"

using namespace attnlab;
using attnlab::tests::close;
using attnlab::tests::largest_difference;
using attnlab::tests::to_matrix;
using attnlab::tests::to_vector;

namespace {

// First time at which the flow from alpha = .1 has half of its first loss.
double half_time(const Matrix& covariance) {
  std::vector<double> times;
  for (int i = 0; i <= 300; ++i)
    times.push_back(0.01 * i);
  const auto heads =
      regression::infinite_flow(covariance, regression::flow_start(covariance.rows(), 0.1), times);
  const double first = regression::infinite_prompt(covariance, heads[0]).loss;
  for (std::size_t i = 0; i < times.size(); ++i)
    if (regression::infinite_prompt(covariance, heads[i]).loss < first / 2) return times[i];
  return -1;
}

}  // namespace

TEST_CASE("every fixed case of the infinite prompt holds at its tolerance") {
  const auto& cases = tests::reference("large-prompt-icl_infinite");
  const double tolerance = cases["tol"];
  for (const auto& entry : cases["cases"]) {
    const Matrix covariance = to_matrix(entry["Sigma"]);
    const regression::Head head{to_matrix(entry["A"]), entry["b"]};
    const auto found = regression::infinite_prompt(covariance, head);
    const auto& expected = entry["expected"];
    CHECK(close(found.loss, expected["R"], tolerance, tolerance));
    CHECK(close(found.b, expected["gradb"], tolerance, tolerance));
    CHECK(largest_difference(found.A, to_matrix(expected["gradA"])) < 4 * tolerance);
    const auto limit = regression::flow_limit(covariance);
    CHECK(close(limit.b, expected["limit_b"], tolerance, tolerance));
    CHECK(largest_difference(limit.A, to_matrix(expected["limit_A"])) < tolerance);
    CHECK(close(regression::infinite_prediction(covariance, head, to_vector(entry["w"]),
                                                to_vector(entry["xq"])),
                entry["pred_infinite"], tolerance, tolerance));

    const auto& path = entry["rk4"];
    regression::Head state{to_matrix(path["A0"]), path["b0"]};
    CHECK(largest_difference(state.A, regression::flow_start(covariance.rows(), path["alpha"]).A) <
          1e-15);
    int step = 0;
    for (const auto& stop : path["states"]) {
      for (; step < stop["step"].get<int>(); ++step)
        state = regression::flow_step(covariance, state, path["dt"]);
      CHECK(largest_difference(state.A, to_matrix(stop["A"])) < 1e-10);
      CHECK(close(state.b, stop["b"], 1e-10, 1e-10));
      CHECK(close(regression::infinite_prompt(covariance, state).loss, stop["R"], 1e-8, 1e-10));
    }
  }
}

TEST_CASE("the gradient of the infinite-prompt risk is that of finite differences") {
  RandomStream random(1, 20);
  for (int point = 0; point < 10; ++point) {
    const Matrix root = random.gaussian_matrix(3, 3);
    const Matrix covariance = root * root.transpose() / 3;
    const regression::Head head{random.gaussian_matrix(3, 3), random.gaussian()};
    const auto found = regression::infinite_prompt(covariance, head);
    const double h = 1e-5;
    const auto loss = [&](const regression::Head& at) {
      return regression::infinite_prompt(covariance, at).loss;
    };
    for (Index i = 0; i < 3; ++i)
      for (Index j = 0; j < 3; ++j) {
        regression::Head up = head;
        regression::Head down = head;
        up.A(i, j) += h;
        down.A(i, j) -= h;
        CHECK(close(found.A(i, j), (loss(up) - loss(down)) / (2 * h), 1e-6, 1e-8));
      }
    CHECK(close(found.b, (loss({head.A, head.b + h}) - loss({head.A, head.b - h})) / (2 * h), 1e-6,
                1e-8));
  }
}

TEST_CASE("the flow keeps its invariant and ends at the known limit") {
  for (const double rho : {0.0, 0.5}) {
    const Matrix covariance = regression::kcm_covariance(5, rho);
    const auto start = regression::flow_start(5, 0.1);
    const auto heads = regression::infinite_flow(covariance, start, {0.3, 1, 4, 200});
    for (const auto& head : heads)
      CHECK(std::fabs(regression::flow_invariant(head)) < 1e-8);
    const auto limit = regression::flow_limit(covariance);
    CHECK(close(heads.back().b, limit.b, 1e-8, 0));
    CHECK(largest_difference(heads.back().A, limit.A) < 1e-7);
    CHECK(regression::infinite_prompt(covariance, heads.back()).loss < 1e-14);
  }
  CHECK(close(regression::flow_limit(Matrix::Identity(3, 3)).b, 1.316074, 0, 5e-7));
  CHECK(close(regression::flow_limit(Matrix::Identity(5, 5)).b, 1.495349, 0, 5e-7));
  CHECK(close(regression::flow_limit(regression::kcm_covariance(5, 0.5)).b, 1.982408, 0, 5e-7));
}

TEST_CASE("an unbalanced start keeps its own invariant") {
  RandomStream random(2, 20);
  const regression::Head start{0.3 * random.gaussian_matrix(3, 3), 0.7};
  const auto heads = regression::infinite_flow(Matrix::Identity(3, 3), start, {0, 2, 5});
  CHECK(largest_difference(heads[0].A, start.A) == 0);
  CHECK(close(regression::flow_invariant(heads[2]), regression::flow_invariant(start), 0, 1e-8));
}

TEST_CASE("the loss halves at the reference times for d = 3 and for d = 5, white and correlated") {
  CHECK(close(half_time(Matrix::Identity(3, 3)), 1.24, 0, 0.015));
  CHECK(close(half_time(Matrix::Identity(5, 5)), 1.02, 0, 0.015));
  CHECK(close(half_time(regression::kcm_covariance(5, 0.5)), .47, 0, 0.015));
}

TEST_CASE("adaptive steps agree with many small fixed ones") {
  const Matrix covariance = regression::kcm_covariance(3, 0.5);
  regression::Head head = regression::flow_start(3, 0.2);
  const auto adaptive = regression::infinite_flow(covariance, head, {2}, 1e-11);
  for (int i = 0; i < 4000; ++i)
    head = regression::flow_step(covariance, head, 0.0005);
  CHECK(largest_difference(adaptive[0].A, head.A) < 1e-9);
}

TEST_CASE("bad input is refused by name") {
  const Matrix identity = Matrix::Identity(2, 2);
  const regression::Head head{identity, 1};
  const auto parameter = [](const auto& call) {
    try {
      call();
    } catch (const Error& error) {
      return error.parameter();
    }
    return std::string("none");
  };
  CHECK(parameter([&] { regression::infinite_prompt(Matrix::Ones(2, 3), head); }) == "covariance");
  CHECK(parameter([&] { regression::infinite_prompt(identity, {Matrix::Ones(3, 3), 1}); }) == "A");
  CHECK(parameter([&] { regression::infinite_prompt(identity, {identity, NAN}); }) == "b");
  CHECK(parameter([&] { regression::infinite_flow(identity, head, {2, 1}); }) == "times");
  CHECK(parameter([&] { regression::infinite_flow(identity, head, {-1}); }) == "times");
  CHECK(parameter([&] { regression::flow_limit(Matrix::Zero(2, 2)); }) == "covariance");
  // Symmetric, but no covariance.
  const Matrix indefinite = Vector{{-1, 1}}.asDiagonal();
  CHECK(parameter([&] { regression::infinite_prompt(indefinite, head); }) == "covariance");
  CHECK(parameter([&] { regression::infinite_flow(indefinite, head, {1}); }) == "covariance");
  CHECK(parameter([&] { regression::infinite_prompt(Matrix::Zero(2, 2), head); }) == "none");
}

TEST_CASE("a solution that leaves the finite numbers is refused, one that stays is exact") {
  // y' = y^2 from 1 is 1 / (1 - t).
  const auto field = [](const Vector& y) { return Vector(y.cwiseProduct(y)); };
  const Vector one = Vector::Ones(1);
  CHECK(close(regression::integrate(field, one, {0.9}, 1e-11)[0](0), 10, 1e-8, 0));
  CHECK_THROWS_WITH_AS(regression::integrate(field, one, {2}, 1e-6),
                       "times: reach beyond where the solution stays finite", Error);
}

TEST_CASE("a flow stays at its limit long after it has come there") {
  const Matrix covariance = Vector{{10, 20}}.asDiagonal();
  const regression::Head start{0.01 * Matrix::Identity(2, 2), 1};
  const auto heads = regression::infinite_flow(covariance, start, {50, 100});
  for (const auto& head : heads)
    CHECK(regression::infinite_prompt(covariance, head).loss < 1e-15);
}

TEST_CASE("integrate: a few steps at a time take the same way, to the bit") {
  const auto field = [](const Vector& y) { return Vector(y.cwiseProduct(y)); };
  const std::vector<double> times{0, 0.3, 0.3, 0.9};
  const auto whole = regression::integrate(field, Vector::Constant(1, 1.0), times, 1e-11);
  regression::Integration pieces(field, Vector::Constant(1, 1.0), times, 1e-11);
  int calls = 1;
  while (!pieces.advance(3))
    ++calls;
  CHECK(calls > 5);
  REQUIRE(pieces.states().size() == times.size());
  for (std::size_t i = 0; i < times.size(); ++i)
    CHECK(pieces.states()[i](0) == whole[i](0));
}

TEST_CASE("a flow that would need far too many steps is given up long before") {
  // Its fast mode forbids steps above 1e-8 while time runs to 1.
  const Matrix covariance = Matrix::Constant(1, 1, 1e4);
  const regression::Head start{Matrix::Constant(1, 1, 1e-3), 1e-3};
  regression::InfiniteFlow flow(covariance, start, 1, 1e-9);
  int steps = 0;
  const auto run = [&] {
    while (!flow.advance(1000))
      steps += 1000;
  };
  CHECK_THROWS_WITH_AS(run(), doctest::Contains("is reached"), Error);
  CHECK(steps < 200000);
}

TEST_CASE("a step that is too long is tried again, although the field refuses its end") {
  const auto field = [](const Vector& y) {
    if (!y.allFinite()) throw std::runtime_error("not finite");
    return Vector(-(y.array() * y.array().square().exp()).matrix());
  };
  const auto end = regression::integrate(field, Vector::Constant(1, 6.0), {1.0}, 1e-8)[0](0);
  CHECK(end > 0);
  CHECK(end < 1);
}

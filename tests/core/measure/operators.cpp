// Every measure against the fixed cases, against quadrature and against its own derivatives.
#include <doctest/doctest.h>

#include "core/error.h"
#include "measure/grids.h"
#include "reference.h"

using namespace attnlab;
using attnlab::tests::close;
using attnlab::tests::largest_difference;
using attnlab::tests::to_matrix;
using attnlab::tests::to_vector;

namespace {

std::unique_ptr<measure::Measure> case_measure(const nlohmann::json& entry, Index dimension) {
  const auto& params = entry["params"];
  const std::string kind = entry["measure"];
  if (kind == "gaussian")
    return measure::gaussian(to_vector(params["m"]), to_matrix(params["Gamma"]));
  if (kind == "rademacher") return measure::rademacher(dimension);
  if (kind == "cube") return measure::cube(dimension, params["c"]);
  if (kind == "sphere") return measure::sphere(dimension, params["r"]);
  if (kind == "ball") return measure::ball(dimension, params["r"]);
  if (kind == "laplace") return measure::laplace(dimension, params["b"]);
  if (kind == "centered_exponential") return measure::exponential(dimension);
  REQUIRE(kind == "gmm");
  std::vector<std::unique_ptr<measure::Measure>> components;
  for (std::size_t k = 0; k < params["means"].size(); ++k)
    components.push_back(
        measure::gaussian(to_vector(params["means"][k]), to_matrix(params["covs"][k])));
  return measure::mixture(to_vector(params["pi"]), std::move(components));
}

Vector plane(double x, double y) {
  return (Vector(2) << x, y).finished();
}

// Lambda, mean, covariance and spread of a closed form beside those of its grid.
void check_against(const measure::Measure& closed, const measure::Measure& grid, const Vector& a,
                   double tolerance) {
  CAPTURE(closed.kind());
  const measure::Tilted left = closed.tilt(a);
  const measure::Tilted right = grid.tilt(a);
  CHECK(close(left.log_partition, right.log_partition, 0, tolerance));
  CHECK(largest_difference(left.mean, right.mean) < tolerance);
  CHECK(largest_difference(left.covariance, right.covariance) < tolerance);
  Vector centre = Vector::Constant(a.size(), 0.3);
  centre(0) = -0.7;
  Matrix shape = Matrix::Constant(a.size(), a.size(), 0.2);
  shape(0, 0) = 1.1;
  CHECK(close(closed.tilted_spread(a, centre, shape), grid.tilted_spread(a, centre, shape),
              10 * tolerance, 10 * tolerance));
}

}  // namespace

TEST_CASE("every fixed case of the measure operator holds to 1e-12") {
  const auto& cases = tests::reference("large-prompt-measure_operators");
  const double tolerance = cases["tol"];
  for (const auto& entry : cases["cases"]) {
    const Vector a = to_vector(entry["a"]);
    CAPTURE(entry["measure"].get<std::string>());
    const auto measure = case_measure(entry, a.size());
    const measure::Tilted tilted = measure->tilt(a);
    const Vector mean = to_vector(entry["expected"]["gradLambda"]);
    for (Index i = 0; i < a.size(); ++i)
      CHECK(close(tilted.mean(i), mean(i), tolerance, tolerance));
    if (!entry["expected"].contains("hessLambda")) continue;
    const Matrix covariance = to_matrix(entry["expected"]["hessLambda"]);
    for (Index i = 0; i < a.size(); ++i)
      for (Index j = 0; j < a.size(); ++j)
        CHECK(close(tilted.covariance(i, j), covariance(i, j), tolerance, tolerance));
  }
}

TEST_CASE("every closed form in the plane is what quadrature gives") {
  const Matrix factor = (Matrix(2, 2) << 1.2, 0, 0.3, 0.6).finished();
  const Vector mean = plane(0.5, -1);
  const Matrix covariance = factor * factor.transpose();
  for (const Vector& a : {plane(0.8, -0.3), plane(0, 0), plane(-1.5, 1)}) {
    CAPTURE(a.transpose());
    check_against(*measure::gaussian(mean, covariance),
                  *tests::gaussian_grid(mean, factor).measure(), a, 1e-10);
    check_against(*measure::cube(2, 1.7), *tests::cube_grid(1.7).measure(), a, 1e-12);
    check_against(*measure::sphere(2, 1.4), *tests::circle_grid(1.4).measure(), a, 1e-12);
    check_against(*measure::ball(2, 2), *tests::disc_grid(2).measure(), a, 1e-12);
    const Vector signs = plane(-1, 1);
    check_against(*measure::rademacher(2), *tests::plane_grid(signs, Vector::Ones(2)).measure(), a,
                  1e-14);
  }
}

TEST_CASE("the closed forms on the line are what quadrature gives") {
  const auto laplace =
      tests::line_grid(-60, 60, [](double x) { return std::exp(-std::fabs(x) / 0.8); });
  const auto exponential = tests::line_grid(0, 120, [](double x) { return std::exp(-x); });
  Matrix shifted = exponential.tokens;
  shifted.array() -= 1;
  const auto centred = measure::empirical(shifted, exponential.weights);
  for (const double t : {-0.6, 0.0, 1e-5, 0.4, 0.7}) {
    CAPTURE(t);
    const Vector a = Vector::Constant(1, t);
    check_against(*measure::laplace(1, 0.8), *laplace.measure(), a, 1e-10);
    check_against(*measure::exponential(1), *centred, a, 1e-10);
  }
}

TEST_CASE("a mixture of unlike measures is the mixture of their grids") {
  const auto cube = tests::cube_grid(1.5);
  const auto circle = tests::circle_grid(2);
  Matrix tokens(cube.tokens.rows() + circle.tokens.rows(), 2);
  tokens << cube.tokens, circle.tokens;
  Vector weights(tokens.rows());
  weights << cube.weights * (0.3 / cube.weights.sum()),
      circle.weights * (0.7 / circle.weights.sum());
  std::vector<std::unique_ptr<measure::Measure>> components;
  components.push_back(measure::cube(2, 1.5));
  components.push_back(measure::sphere(2, 2));
  const auto mixture = measure::mixture(plane(3, 7), std::move(components));
  for (const Vector& a : {plane(0.8, -0.3), plane(0, 0), plane(4, 3)})
    check_against(*mixture, *measure::empirical(tokens, weights), a, 1e-11);
}

TEST_CASE("the gains of laws with unit variance have their reference values") {
  struct Row {
    double a, rademacher, cube, sphere;
  };
  for (const Row& row : {Row{0.1, .099668, .099801, .099857}, Row{0.5, .462117, .476661, .483079},
                         Row{1, .761594, .843985, .882762}, Row{2, .964028, 1.235448, 1.379104},
                         Row{3, .995055, 1.398824, 1.627788}}) {
    CHECK(close(measure::rademacher(1)->tilt(Vector::Constant(1, row.a)).mean(0), row.rademacher, 0,
                5e-7));
    CHECK(close(measure::cube(1, std::sqrt(3.0))->tilt(Vector::Constant(1, row.a)).mean(0),
                row.cube, 0, 5e-7));
    Vector a = Vector::Zero(5);
    a(2) = row.a;
    CHECK(close(measure::sphere(5, std::sqrt(5.0))->tilt(a).mean(2), row.sphere, 0, 5e-7));
  }
  // Two points +-1/sqrt 2 blurred by a Gaussian of variance 1/2.
  std::vector<std::unique_ptr<measure::Measure>> components;
  const double centre = std::sqrt(0.5);
  for (const double sign : {-1.0, 1.0})
    components.push_back(
        measure::gaussian(Vector::Constant(1, sign * centre), Matrix::Constant(1, 1, 0.5)));
  const auto mixture = measure::mixture(Vector::Ones(2), std::move(components));
  CHECK(close(mixture->tilt(Vector::Constant(1, 3.0)).mean(0), 2.187073, 0, 5e-7));
  CHECK(close(measure::laplace(1, std::sqrt(0.5))->tilt(Vector::Constant(1, 1.0)).mean(0), 2, 0,
              1e-14));
}

TEST_CASE("the mean is the gradient and the covariance the Hessian of Lambda") {
  std::vector<std::unique_ptr<measure::Measure>> measures;
  RandomStream random(11, 1);
  measures.push_back(measure::rademacher(3));
  measures.push_back(measure::cube(3, 1.3));
  measures.push_back(measure::sphere(3, 1.7));
  measures.push_back(measure::ball(3, 2.1));
  measures.push_back(measure::laplace(3, 0.4));
  measures.push_back(measure::exponential(3));
  measures.push_back(measure::empirical(random.gaussian_matrix(7, 3), Vector()));
  const Matrix root = random.gaussian_matrix(3, 3);
  measures.push_back(measure::gaussian(random.gaussian_vector(3), root * root.transpose()));
  const double h = 1e-4;
  for (const auto& measure : measures)
    for (int point = 0; point < 10; ++point) {
      CAPTURE(measure->kind());
      Vector a(3);
      for (Index i = 0; i < 3; ++i)
        a(i) = 1.2 * random.uniform() - 0.6;
      const measure::Tilted here = measure->tilt(a);
      for (Index i = 0; i < 3; ++i) {
        Vector step = Vector::Zero(3);
        step(i) = h;
        // Five points: the error of the difference is of order h^4.
        const auto difference = [&](const auto& f) {
          return ((f(a - 2 * step) - f(a + 2 * step)) + 8 * (f(a + step) - f(a - step))) / (12 * h);
        };
        const double slope =
            difference([&](const Vector& x) { return measure->tilt(x).log_partition; });
        CHECK(close(here.mean(i), slope, 1e-9, 1e-10));
        for (Index j = 0; j < 3; ++j) {
          const double curvature =
              difference([&](const Vector& x) { return measure->tilt(x).mean(j); });
          CHECK(close(here.covariance(i, j), curvature, 1e-9, 1e-10));
        }
      }
    }
}

TEST_CASE("far from the origin the closed forms neither overflow nor lose their limits") {
  const Vector a = plane(3e4, -4e4);
  CHECK(largest_difference(measure::rademacher(2)->tilt(a).mean, plane(1, -1)) < 1e-15);
  CHECK(largest_difference(measure::cube(2, 2)->tilt(a).mean, plane(2 - 1 / 3e4, -2 + 1 / 4e4)) <
        1e-12);
  // Radius 1, d = 2: R = 1 - 1 / (2 k) - 1 / (8 k^2) + O(k^-3).
  const double k = 5e4;
  const double ratio = 1 - 1 / (2 * k) - 1 / (8 * k * k);
  CHECK(largest_difference(measure::sphere(2, 1)->tilt(a).mean, plane(0.6 * ratio, -0.8 * ratio)) <
        1e-13);
  CHECK(std::isfinite(measure::ball(2, 10)->tilt(a).log_partition));
}

TEST_CASE("draws have the mean and the covariance of their measure") {
  std::vector<std::unique_ptr<measure::Measure>> measures;
  measures.push_back(measure::rademacher(2));
  measures.push_back(measure::cube(2, 1.3));
  measures.push_back(measure::sphere(2, 1.7));
  measures.push_back(measure::ball(2, 2.1));
  measures.push_back(measure::laplace(2, 0.4));
  measures.push_back(measure::exponential(2));
  measures.push_back(measure::gaussian(plane(1, -2), Matrix::Constant(2, 2, 0.7)));
  measures.push_back(measure::empirical((Matrix(3, 2) << 1, 2, -1, 0, 3, 1).finished(),
                                        Vector::LinSpaced(3, 1, 3)));
  std::vector<std::unique_ptr<measure::Measure>> components;
  components.push_back(measure::laplace(2, 0.4));
  components.push_back(measure::gaussian(plane(1, -2), Matrix::Identity(2, 2)));
  measures.push_back(measure::mixture(plane(1, 3), std::move(components)));
  constexpr Index kDraws = 40000;
  for (const auto& measure : measures) {
    CAPTURE(measure->kind());
    RandomStream random(5, 9);
    const Matrix tokens = measure->sample(random, kDraws);
    const measure::Tilted law = measure->tilt(Vector::Zero(2));
    const Vector mean = tokens.colwise().mean().transpose();
    const Matrix centred = tokens.rowwise() - law.mean.transpose();
    const double n = kDraws;
    for (Index i = 0; i < 2; ++i) {
      CHECK(std::fabs(mean(i) - law.mean(i)) < 4.5 * std::sqrt(law.covariance(i, i) / n));
      for (Index j = 0; j < 2; ++j) {
        const auto products = centred.col(i).cwiseProduct(centred.col(j));
        const double error = std::sqrt((products.array() - products.mean()).square().mean() / n);
        CHECK(std::fabs(products.mean() - law.covariance(i, j)) < 4.5 * error + 1e-12);
      }
    }
  }
}

TEST_CASE("drawing in pieces gives the draws of one piece") {
  const auto measure = measure::gaussian(plane(1, -2), Matrix::Identity(2, 2));
  RandomStream whole(3, 4);
  RandomStream pieces(3, 4);
  const Matrix tokens = measure->sample(whole, 10);
  Matrix other(10, 2);
  measure->draw(pieces, other.topRows(3));
  measure->draw(pieces, other.bottomRows(7));
  CHECK(largest_difference(tokens, other) == 0);
}

TEST_CASE("measures refuse what they cannot be made of") {
  const auto code = [](const auto& make) {
    try {
      make();
    } catch (const Error& error) {
      return error.parameter() + "/" + std::string(error_code_name(error.code()));
    }
    return std::string("none");
  };
  const Matrix indefinite = (Matrix(2, 2) << 0, 1, 1, 0).finished();
  const Matrix skew = (Matrix(2, 2) << 1, 1, 0, 1).finished();
  CHECK(code([&] { measure::gaussian(plane(0, 0), indefinite); }) == "covariance/out-of-range");
  CHECK(code([&] { measure::gaussian(plane(0, 0), skew); }) == "covariance/out-of-range");
  CHECK(code([&] { measure::gaussian(plane(0, 0), Matrix::Identity(3, 3)); }) ==
        "covariance/shape");
  CHECK(code([&] { measure::gaussian(Vector(), Matrix()); }) == "mean/shape");
  CHECK(code([&] { measure::empirical(Matrix(0, 2), Vector()); }) == "tokens/shape");
  CHECK(code([&] { measure::empirical(Matrix::Ones(2, 2), plane(1, -1)); }) ==
        "weights/out-of-range");
  CHECK(code([&] { measure::empirical(Matrix::Ones(2, 2), plane(0, 0)); }) ==
        "weights/out-of-range");
  CHECK(code([&] { measure::empirical(Matrix::Ones(2, 2), plane(1e308, 1e308)); }) ==
        "weights/out-of-range");
  CHECK(code([&] {
          std::vector<std::unique_ptr<measure::Measure>> two;
          for (int i = 0; i < 2; ++i)
            two.push_back(measure::rademacher(2));
          measure::mixture(plane(1e308, 1e308), std::move(two));
        }) == "weights/out-of-range");
  CHECK(code([&] { measure::cube(2, -1); }) == "halfWidth/out-of-range");
  CHECK(code([&] { measure::ball(0, 1); }) == "dimension/out-of-range");
  CHECK(code([&] { measure::laplace(2, 1)->tilt(plane(0, 1)); }) == "a/domain");
  CHECK(code([&] { measure::exponential(2)->tilt(plane(0, 1)); }) == "a/domain");
  CHECK(code([&] { measure::mixture(plane(1, 1), {}); }) == "components/shape");
  CHECK(code([&] {
          const auto law = measure::laplace(2, 1);
          measure::constants(*law, plane(0, 0.6), Matrix::Identity(2, 2));
        }) == "a/domain");
}

// Quadrature grids as weighted empirical measures: an independent way to every closed form.
#pragma once

#include <cmath>

#include "core/quadrature.h"
#include "measure/measure.h"

namespace attnlab::tests {

struct Grid {
  Matrix tokens;
  Vector weights;
  std::unique_ptr<measure::Measure> measure() const { return measure::empirical(tokens, weights); }
};

// The product of a rule with itself, in the plane.
inline Grid plane_grid(const Vector& nodes, const Vector& weights) {
  const Index n = nodes.size();
  Grid grid{Matrix(n * n, 2), Vector(n * n)};
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) {
      grid.tokens.row(i * n + j) << nodes(i), nodes(j);
      grid.weights(i * n + j) = weights(i) * weights(j);
    }
  return grid;
}

inline Grid gaussian_grid(const Vector& mean, const Matrix& factor) {
  const QuadratureRule rule = gauss_hermite(40);
  Grid grid = plane_grid(rule.nodes, rule.weights);
  grid.tokens = (grid.tokens * factor.transpose()).eval();
  grid.tokens.rowwise() += mean.transpose();
  return grid;
}

inline Grid cube_grid(double half_width) {
  const QuadratureRule rule = gauss_legendre(60, -half_width, half_width);
  return plane_grid(rule.nodes, rule.weights);
}

inline Grid circle_grid(double radius) {
  constexpr Index kPoints = 400;
  Grid grid{Matrix(kPoints, 2), Vector::Ones(kPoints)};
  for (Index i = 0; i < kPoints; ++i) {
    const double angle = 2 * 3.14159265358979323846 * static_cast<double>(i) / kPoints;
    grid.tokens.row(i) << radius * std::cos(angle), radius * std::sin(angle);
  }
  return grid;
}

inline Grid disc_grid(double radius) {
  const QuadratureRule rule = gauss_legendre(40, 0, radius);
  const Grid circle = circle_grid(1);
  const Index n = circle.tokens.rows();
  Grid grid{Matrix(rule.nodes.size() * n, 2), Vector(rule.nodes.size() * n)};
  for (Index i = 0; i < rule.nodes.size(); ++i) {
    grid.tokens.middleRows(i * n, n) = rule.nodes(i) * circle.tokens;
    grid.weights.segment(i * n, n).setConstant(rule.weights(i) * rule.nodes(i));
  }
  return grid;
}

// A density on the line, by Gauss-Legendre over pieces of [lower, upper] that end at 0.
template <class Density>
Grid line_grid(double lower, double upper, const Density& density) {
  std::vector<double> nodes;
  std::vector<double> weights;
  const auto cover = [&](double from, double to) {
    constexpr int kPieces = 30;
    const double width = (to - from) / kPieces;
    for (int piece = 0; piece < kPieces; ++piece) {
      const QuadratureRule rule =
          gauss_legendre(30, from + piece * width, from + (piece + 1) * width);
      for (Index i = 0; i < rule.nodes.size(); ++i) {
        nodes.push_back(rule.nodes(i));
        weights.push_back(rule.weights(i) * density(rule.nodes(i)));
      }
    }
  };
  if (lower < 0) cover(lower, 0);
  if (upper > 0) cover(0, upper);
  const auto n = static_cast<Index>(nodes.size());
  return {Eigen::Map<const Matrix>(nodes.data(), n, 1),
          Eigen::Map<const Vector>(weights.data(), n)};
}

}  // namespace attnlab::tests

// The kernel of multi-head linear attention and its dual solution: for few samples of many
// features, and for the question whether a prompt's output is determined by the data.
//
//     k(Z, Z') = <X(Z), X(Z')>_F = <G, G'>_F <z_n, z'_n'>,
// X the paper's features (arXiv 2410.10101, eq. 7) with every pair twice. The solution of least
// |W|_F is W_a = sum_i alpha_{i,a} X_i with alpha = K^+ Y (derived; equal to the pseudo-inverse).
#pragma once

#include <Eigen/Core>
#include <memory>
#include <vector>

#include "core/types.h"
#include "mhla/features.h"

namespace attnlab::mhla {

// k of two samples. Cost d^2 / 2.
double kernel(const Samples& a, Index i, const Samples& b, Index j);

// K = P L L^T P^T by Cholesky with complete pivoting, sample by sample; works on any symmetric
// positive semidefinite kernel, given by its entries.
class PivotedCholesky {
 public:
  // diagonal: k(i, i). Samples with k(i, i) = 0 carry nothing and are never chosen. A sample is
  // dependent once its remaining diagonal is below tolerance * k(i, i): its features then lie
  // within sqrt(tolerance) of the span of the chosen ones.
  PivotedCholesky(Vector diagonal, double tolerance = 1e-12);

  // The sample whose kernel column is wanted next; -1 when all are dependent.
  Index next() const;
  // column(i) = k(i, next()). Appends a column to L.
  void add(const Vector& column);

  Index rank() const { return static_cast<Index>(pivots_.size()); }
  const std::vector<Index>& pivots() const { return pivots_; }
  // count x rank, rows in the samples' own order.
  Eigen::MatrixXd factor() const { return factor_.leftCols(rank()); }
  // L_pp on the pivots: rank x rank, lower triangular.
  Eigen::MatrixXd pivot_factor() const;

  // alpha on the pivots with K alpha nearest to y: rank x y.cols(); least norm by construction.
  Eigen::MatrixXd solve(const Eigen::MatrixXd& y) const;

  // For a new prompt with kernel values k_p against the pivots and k(Z, Z) = self: what of it lies
  // outside the span of the data, relative to self. 0 up to rounding exactly when its output is
  // determined.
  double residual(const VectorRef& pivot_kernel, double self) const;

 private:
  Vector diagonal_, remaining_;
  double tolerance_;
  std::vector<Index> pivots_;
  Eigen::MatrixXd factor_;
};

}  // namespace attnlab::mhla

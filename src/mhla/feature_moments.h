// Weighted second moments of the features, sum_i w_i H_i H_i^T and sum_i w_i H_i y_i^T, without
// ever holding a feature matrix.
//
// H = g (x) z, so H H^T = g g^T (x) z z^T: the psi^2 numbers are d (d + 1) / 2 columns of
// vech(g g^T)^T vech(z z^T), about half the work and half the memory of the plain Gram matrix.
#pragma once

#include <vector>

#include "core/types.h"
#include "mhla/features.h"

namespace attnlab::mhla {

class FeatureMoments {
 public:
  // outputs: columns of the targets; 0 for none.
  FeatureMoments(Index d, Index outputs);

  // Samples [first, first + count). targets: N x outputs; weights: N entries, or empty for ones.
  // Cost per sample about d^6 / 8 multiply-adds.
  void add(const Samples& samples, const MatrixRef& targets, const VectorRef& weights, Index first,
           Index count);

  // psi x psi, symmetric, both triangles filled.
  Eigen::MatrixXd gram() const;
  // psi x outputs.
  Eigen::MatrixXd cross() const;
  // Multiply-adds of one sample, to size slices of work.
  static double cost(Index d, Index outputs);
  static double bytes(Index d, Index outputs);

 private:
  void add_block(const Samples& samples, const MatrixRef& targets, const VectorRef& weights,
                 Index first, Index count);
  void pack_pairs(const Samples& samples, Index first, Index count);

  Index d_, pairs_, outputs_;
  Index gram_rows_, gram_columns_;  // padded to fours
  Index cross_rows_, cross_columns_;
  std::vector<double> gram_, cross_;  // vech(g g^T)^T vech(z z^T); g^T (z (x) y)
  std::vector<double> left_, right_;  // packed panels: [panel][sample][4]
  std::vector<double> columns_;       // g of a block: [pair][sample], then zeros
};

}  // namespace attnlab::mhla

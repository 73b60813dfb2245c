// Singular values and right singular vectors in slices, to high relative accuracy.
//
// Column-pivoted QR, then one-sided Jacobi rotations on the transposed triangle (Drmac and Veselic,
// "New fast and accurate Jacobi SVD algorithm", SIAM J. Matrix Anal. Appl. 29, 2008, in its plain
// form). Small singular values of a matrix with columns of length one come out to the accuracy
// that the data allow, which the eigenvalues of A^T A do not: those lose everything below
// 1e-8 sigma_1.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "core/types.h"

namespace attnlab::mhla {

class SingularValues {
 public:
  // Any shape; finite. Cost about 8 rows * columns^2 + 20 columns^3 multiply-adds.
  explicit SingularValues(Eigen::MatrixXd matrix);
  // About two million multiply-adds. True at the end.
  bool step();
  double progress() const;

  // After the end. Descending; as many as columns. Those at the rounding level of the largest,
  // below (rows + columns) 2^-52 sigma_1, are given as 0.
  const Vector& values() const { return values_; }
  // columns x columns, orthogonal: right singular vectors; those of the zeros span the null space.
  const Eigen::MatrixXd& vectors() const { return vectors_; }
  // Columns in the order in which the pivoted QR took them: the first `rank` ones are a
  // well-conditioned choice.
  const std::vector<Index>& order() const { return order_; }

 private:
  bool step_pivoted_qr();
  bool step_rotations();
  void finish();

  int exponent_ = 0;   // of the largest entry, taken out so that squares stay in range
  Eigen::MatrixXd a_;  // the matrix, later the lower triangle whose columns are rotated
  std::vector<Index> order_;
  Vector norms_;
  Index column_ = 0;
  Index rank_ = 0;
  Index first_ = 0, second_ = 1;
  int sweep_ = 0;
  bool rotated_ = false;
  enum class Stage { kPivotedQr, kRotations, kDone } stage_ = Stage::kPivotedQr;
  Vector values_;
  Eigen::MatrixXd vectors_;
};

}  // namespace attnlab::mhla

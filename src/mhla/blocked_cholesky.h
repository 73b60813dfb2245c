// Cholesky factorisation in slices, so that a large one can be shown, paused and cancelled.
#pragma once

#include <Eigen/Core>

#include "core/types.h"

namespace attnlab::mhla {

// A = L L^T for a symmetric positive definite matrix with unit diagonal; the lower triangle is
// read. Stops and reports failure at a pivot below size * 2^-52, where the matrix can no longer be
// told from a singular one.
class BlockedCholesky {
 public:
  explicit BlockedCholesky(Eigen::MatrixXd matrix);
  // One panel: about 48 * size^2 / 2 multiply-adds. True at the end, successful or not.
  bool step();
  double progress() const;
  bool failed() const { return failed_; }
  // x <- A^-1 x, column by column; and the two halves of it.
  void solve_in_place(Eigen::MatrixXd& x) const;
  void solve_lower_in_place(Eigen::MatrixXd& x) const;
  void solve_upper_in_place(Eigen::MatrixXd& x) const;

 private:
  Eigen::MatrixXd l_;
  Index column_ = 0;
  bool failed_ = false;
};

}  // namespace attnlab::mhla

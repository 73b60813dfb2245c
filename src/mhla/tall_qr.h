// The triangular factor of a tall matrix that is seen a block of rows at a time.
//
// Each block is eliminated against the triangle above it by blocked Householder reflections (the
// "tall skinny QR" update; Golub and Van Loan, Matrix Computations, 5.2; Schreiber and Van Loan's
// compact WY form). Memory does not grow with the number of rows; errors are those of a Householder
// QR of the whole matrix. Columns of different scale do no harm.
#pragma once

#include <Eigen/Core>

#include "core/types.h"

namespace attnlab::mhla {

class TallQr {
 public:
  explicit TallQr(Index columns);

  // The rows to absorb next, to be filled by the caller; column-major, rows x columns.
  Eigen::MatrixXd& begin(Index rows);
  // One panel of columns: about 4 rows * 32 * columns multiply-adds. True when the block is
  // absorbed.
  bool step();

  // Upper triangular, columns x columns; A^T A = R^T R.
  const Eigen::MatrixXd& r() const { return r_; }

 private:
  Eigen::MatrixXd r_;
  Eigen::MatrixXd block_;
  Index column_ = 0;
};

}  // namespace attnlab::mhla

// The largest eigenvalue of a symmetric operator, one application at a time.
#pragma once

#include <Eigen/Core>
#include <functional>

#include "core/types.h"

namespace attnlab::mhla {

// Lanczos with full reorthogonalisation. The error is at most 1e-10 of the value, and of the order
// of 1e-16 where the largest eigenvalues are apart. For the smallest one of a matrix, hand in its
// inverse. Positive semidefinite operators only, of any size: squares of 1e231 do not overflow.
class LargestEigenvalue {
 public:
  using Operator = std::function<Eigen::VectorXd(const Eigen::VectorXd&)>;
  LargestEigenvalue(Index size, Operator apply);
  // One application of the operator. True at the end.
  bool step();
  double value() const { return value_ * scale_; }

 private:
  Operator apply_;
  Index size_;
  Index count_ = 0;
  Eigen::MatrixXd basis_;  // grows by doubling
  Eigen::VectorXd diagonal_, off_diagonal_;
  double scale_ = 1;  // a power of two of the operator's size, taken out of everything below
  double value_ = 0;
};

}  // namespace attnlab::mhla

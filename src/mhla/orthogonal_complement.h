// What is orthogonal to given vectors.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "core/types.h"

namespace attnlab::mhla {

// An orthonormal basis of the orthogonal complement of the vectors handed in, by Householder
// reflections, one vector at a time (Golub & Van Loan, Matrix Computations, 5.2). The vectors are
// to be linearly independent, at most `dimension` of them.
class OrthogonalComplement {
 public:
  explicit OrthogonalComplement(Index dimension) : dimension_(dimension) {}

  // Cost dimension * (vectors so far).
  void add(Eigen::VectorXd vector);

  Index vectors() const { return static_cast<Index>(reflections_.size()); }
  Index size() const { return dimension_ - vectors(); }  // of the basis
  // Entry `number` of the basis, in [0, size()). Cost dimension * vectors().
  Eigen::VectorXd direction(Index number) const;

 private:
  struct Reflection {  // I - factor v v^T over the coordinates from its own number on
    Eigen::VectorXd v;
    double factor;
  };
  void reflect(std::size_t number, Eigen::VectorXd& x) const;

  Index dimension_;
  std::vector<Reflection> reflections_;
};

}  // namespace attnlab::mhla

// The shapes that travel between rooms. A prompt is n x d, a row a token, everywhere; where a
// paper writes the transpose, the routine's comment says so.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

namespace attnlab {

using Index = Eigen::Index;

template <class Scalar>
using MatrixOf = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class Scalar>
using VectorOf = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;
// A view of rows that need not be contiguous with each other, but whose entries are.
template <class Scalar>
using MatrixRefOf = Eigen::Ref<const MatrixOf<Scalar>, 0, Eigen::OuterStride<>>;
template <class Scalar>
using VectorRefOf = Eigen::Ref<const VectorOf<Scalar>>;

using Matrix = MatrixOf<double>;
using Vector = VectorOf<double>;
using MatrixRef = MatrixRefOf<double>;
using VectorRef = VectorRefOf<double>;

}  // namespace attnlab

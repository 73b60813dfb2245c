// Heads as one vector of unknowns, and how the coefficients C = p(Theta) move with it.
#pragma once

#include <Eigen/Core>

#include "core/random.h"
#include "core/types.h"
#include "mhla/model.h"

namespace attnlab::mhla {

struct HeadShape {
  Index heads, outputs, dimension;
  Index size() const { return heads * (outputs + dimension) * dimension; }
};

// V_1, Q_1, V_2, ..., each row-major.
Vector pack(const Heads& heads);
Heads unpack(const VectorRef& vector, const HeadShape& shape);

// p(Theta), outputs x psi, and the gradient of a function of it: `slope` = d f / d C.
// Cost H d_out d^3.
void coefficients_of(const VectorRef& vector, const HeadShape& shape, Matrix& c);
void pull_back(const VectorRef& vector, const HeadShape& shape, const MatrixRef& slope,
               Vector& gradient);
// d C / d Theta, row a psi + f, column as in pack.
Eigen::MatrixXd coefficient_jacobian(const VectorRef& vector, const HeadShape& shape);

// Normal entries of standard deviation `scale`.
Vector random_head_vector(const HeadShape& shape, double scale, RandomStream& stream);

}  // namespace attnlab::mhla

// Polynomials with fixed coefficients, for one number or for a vector of them.
#pragma once

#include <array>
#include <cstddef>

namespace attnlab {

// coefficients[0] + x (coefficients[1] + x (...)), by Horner's rule.
template <class Number, class Scalar, std::size_t size>
inline Number polynomial(Number x, const std::array<Scalar, size>& coefficients) {
  Number sum = x * coefficients[size - 1] + coefficients[size - 2];
  for (std::size_t i = size - 2; i-- > 0;)
    sum = sum * x + coefficients[i];
  return sum;
}

}  // namespace attnlab

// Sums of products in an order that does not depend on the machine.
#pragma once

#include "core/simd.h"
#include "core/types.h"

namespace attnlab::mhla {

inline double inner_product(const double* a, const double* b, Index size) {
  using simd::F64x2;
  F64x2 sum0{}, sum1{};
  Index i = 0;
  for (; i + 4 <= size; i += 4) {
    sum0 = simd::multiply_add(simd::load<F64x2>(a + i), simd::load<F64x2>(b + i), sum0);
    sum1 = simd::multiply_add(simd::load<F64x2>(a + i + 2), simd::load<F64x2>(b + i + 2), sum1);
  }
  double sum = simd::sum(sum0 + sum1);
  for (; i < size; ++i)
    sum += a[i] * b[i];
  return sum;
}

// y += factor x
inline void add_scaled(double factor, const double* x, double* y, Index size) {
  using simd::F64x2;
  const F64x2 factors = simd::splat(factor);
  Index i = 0;
  for (; i + 2 <= size; i += 2)
    simd::store(y + i,
                simd::multiply_add(factors, simd::load<F64x2>(x + i), simd::load<F64x2>(y + i)));
  for (; i < size; ++i)
    y[i] += factor * x[i];
}

}  // namespace attnlab::mhla

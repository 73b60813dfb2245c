// Symmetric systems of a few unknowns on the stack, row-major with a fixed stride: the inner loop
// of the state evolution solves millions of them.
#pragma once

#include <cmath>

#include "core/types.h"

namespace attnlab::needle {

// Lower Cholesky factor of the n x n matrix a in place. False when a pivot is not above `floor`.
template <Index Stride>
bool factor_small(double* a, Index n, double floor) {
  for (Index j = 0; j < n; ++j) {
    double pivot = a[j * Stride + j];
    for (Index k = 0; k < j; ++k)
      pivot -= a[j * Stride + k] * a[j * Stride + k];
    if (!(pivot > floor)) return false;
    pivot = std::sqrt(pivot);
    a[j * Stride + j] = pivot;
    for (Index i = j + 1; i < n; ++i) {
      double sum = a[i * Stride + j];
      for (Index k = 0; k < j; ++k)
        sum -= a[i * Stride + k] * a[j * Stride + k];
      a[i * Stride + j] = sum / pivot;
    }
  }
  return true;
}

// x <- L^-1 x.
template <Index Stride>
void forward_small(const double* factor, Index n, double* x) {
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < i; ++k)
      x[i] -= factor[i * Stride + k] * x[k];
    x[i] /= factor[i * Stride + i];
  }
}

// x <- (L L^T)^-1 x.
template <Index Stride>
void solve_small(const double* factor, Index n, double* x) {
  forward_small<Stride>(factor, n, x);
  for (Index i = n - 1; i >= 0; --i) {
    for (Index k = i + 1; k < n; ++k)
      x[i] -= factor[k * Stride + i] * x[k];
    x[i] /= factor[i * Stride + i];
  }
}

}  // namespace attnlab::needle

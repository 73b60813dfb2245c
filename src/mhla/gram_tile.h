// The inner kernel of Gram accumulation.
#pragma once

#include "core/simd.h"
#include "core/types.h"

namespace attnlab::mhla {

// out[i][j] += sum_b left[b][i] right[b][j], i, j < 4; out has rows `stride` apart. Sixteen sums
// stay in registers. The order of the sums is that of b.
inline void accumulate_tile(const double* left, const double* right, Index depth, double* out,
                            Index stride) {
  using simd::F64x2;
  F64x2 sum[4][2] = {};
  for (Index b = 0; b < depth; ++b) {
    const F64x2 right0 = simd::load<F64x2>(right + 4 * b);
    const F64x2 right1 = simd::load<F64x2>(right + 4 * b + 2);
    for (int i = 0; i < 4; ++i) {
      const F64x2 factor = simd::splat(left[4 * b + i]);
      sum[i][0] = simd::multiply_add(factor, right0, sum[i][0]);
      sum[i][1] = simd::multiply_add(factor, right1, sum[i][1]);
    }
  }
  for (int i = 0; i < 4; ++i) {
    double* row = out + i * stride;
    simd::store(row, simd::load<F64x2>(row) + sum[i][0]);
    simd::store(row + 2, simd::load<F64x2>(row + 2) + sum[i][1]);
  }
}

}  // namespace attnlab::mhla

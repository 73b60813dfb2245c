// Products of many rows with two vectors at once: the inner loop of the simulations, which is bound
// by reading the rows.
#pragma once

#include "core/types.h"

namespace attnlab::needle {

struct TwoSums {
  double first = 0;
  double second = 0;
};

// row.a and row.b in one pass. Four partial sums each, so that the order of the additions is fixed
// and the compiler may still work on several at a time.
inline TwoSums two_products(const double* row, const double* a, const double* b, Index size) {
  double first[4] = {}, second[4] = {};
  Index i = 0;
  for (; i + 4 <= size; i += 4)
    for (Index j = 0; j < 4; ++j) {
      first[j] += row[i + j] * a[i + j];
      second[j] += row[i + j] * b[i + j];
    }
  TwoSums sums{(first[0] + first[1]) + (first[2] + first[3]),
               (second[0] + second[1]) + (second[2] + second[3])};
  for (; i < size; ++i) {
    sums.first += row[i] * a[i];
    sums.second += row[i] * b[i];
  }
  return sums;
}

// a += x row, b += y row.
inline void add_twice(const double* row, double x, double y, double* a, double* b, Index size) {
  for (Index i = 0; i < size; ++i) {
    a[i] += x * row[i];
    b[i] += y * row[i];
  }
}

}  // namespace attnlab::needle

// Products of many rows with two vectors at once: the inner loops of the simulations. Several rows
// share what is read and written of the vectors; every sum keeps its order whatever their number.
#pragma once

#include "core/types.h"

namespace attnlab::needle {

// `count` rows of `size` entries, each `stride` entries after the one before.
struct Rows {
  const double* data;
  Index count;
  Index size;
  Index stride;

  const double* row(Index l) const { return data + l * stride; }
};

// first_l = row_l . a and second_l = row_l . b, each by four partial sums.
void two_products(const Rows& rows, const double* a, const double* b, double* first,
                  double* second);

// a += sum_l x_l row_l, b += sum_l y_l row_l, a row after the other.
void add_twice(const Rows& rows, const double* x, const double* y, double* a, double* b);

}  // namespace attnlab::needle

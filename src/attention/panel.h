// Matrices laid out for multiply_panels.
#pragma once

#include <algorithm>
#include <vector>

#include "attention/tile.h"
#include "core/types.h"

namespace attnlab::attention {

inline Index round_up(Index size, Index unit) {
  return (size + unit - 1) / unit * unit;
}

// A matrix cut into panels of kPanelWidth, padded with zeros.
template <class Scalar>
struct Panels {
  std::vector<Scalar> data;
  Index count = 0;   // panels
  Index depth = 0;   // rows of a panel
  Index stride = 0;  // from a panel to the next

  const Scalar* panel(Index q) const { return data.data() + q * stride; }
  // Row k of the first panel; of no panels there is none, and no offset may be formed.
  const Scalar* row(Index k) const {
    return count == 0 ? nullptr : data.data() + k * kPanelWidth<Scalar>;
  }
};

// Panels of columns: panel_q(k, c) = matrix(k, width q + c). The right factor of left * matrix.
template <class Scalar>
Panels<Scalar> column_panels(const MatrixRefOf<Scalar>& matrix) {
  constexpr Index kWidth = kPanelWidth<Scalar>;
  Panels<Scalar> panels;
  panels.depth = matrix.rows();
  panels.count = round_up(matrix.cols(), kWidth) / kWidth;
  panels.stride = panels.depth * kWidth;
  panels.data.assign(static_cast<std::size_t>(panels.count * panels.stride), Scalar{0});
  for (Index q = 0; q < panels.count; ++q) {
    const Index columns = std::min(kWidth, matrix.cols() - q * kWidth);
    Scalar* to = panels.data.data() + q * panels.stride;
    for (Index k = 0; k < panels.depth; ++k, to += kWidth)
      for (Index c = 0; c < columns; ++c)
        to[c] = matrix(k, q * kWidth + c);
  }
  return panels;
}

// Panels of rows: panel_q(k, c) = matrix(width q + c, k). The right factor of left * matrix^T.
template <class Scalar>
Panels<Scalar> row_panels(const MatrixRefOf<Scalar>& matrix) {
  constexpr Index kWidth = kPanelWidth<Scalar>;
  Panels<Scalar> panels;
  panels.depth = matrix.cols();
  panels.count = round_up(matrix.rows(), kWidth) / kWidth;
  panels.stride = panels.depth * kWidth;
  panels.data.assign(static_cast<std::size_t>(panels.count * panels.stride), Scalar{0});
  if (panels.stride == 0) return panels;
  for (Index i = 0; i < matrix.rows(); ++i) {
    Scalar* to = panels.data.data() + i / kWidth * panels.stride + i % kWidth;
    for (Index k = 0; k < panels.depth; ++k)
      to[k * kWidth] = matrix(i, k);
  }
  return panels;
}

}  // namespace attnlab::attention

// Matrices laid out for multiply_tiles, and what it is used for.
#pragma once

#include <algorithm>
#include <vector>

#include "attention/tile.h"
#include "core/types.h"

namespace attnlab::attention {

inline Index round_up(Index size, Index unit) {
  return (size + unit - 1) / unit * unit;
}

// A matrix cut into panels of equal width, padded with zeros.
template <class Scalar>
struct Panels {
  std::vector<Scalar> data;
  Index width = kPanelWidth<Scalar>;
  Index count = 0;   // panels
  Index depth = 0;   // rows of a panel
  Index stride = 0;  // from a panel to the next

  const Scalar* panel(Index q) const { return data.data() + q * stride; }
  // Row k of the first panel; of no panels there is none, and no offset may be formed.
  const Scalar* row(Index k) const { return count == 0 ? nullptr : data.data() + k * width; }
};

// One panel of `columns` columns, whose rows lie `stride` apart: to(k, c) = from(k, c). What is
// beyond them is left as it is.
template <class Scalar>
inline void pack_panel(const Scalar* from, Index stride, Index columns, Index rows, Scalar* to) {
  using Vector = simd::Pack<Scalar>;
  constexpr Index kLanes = simd::PackOf<Scalar>::kLanes;
  constexpr Index kWidth = kPanelWidth<Scalar>;
  for (Index k = 0; k < rows; ++k, from += stride, to += kWidth) {
    if (columns < kWidth) {
      std::copy_n(from, columns, to);
      continue;
    }
    simd::store(to, simd::load<Vector>(from));
    simd::store(to + kLanes, simd::load<Vector>(from + kLanes));
  }
}

// Panels of columns: panel_q(k, c) = matrix(k, width q + c). The right factor of left * matrix.
template <class Scalar>
Panels<Scalar> column_panels(const MatrixRefOf<Scalar>& matrix) {
  constexpr Index kWidth = kPanelWidth<Scalar>;
  Panels<Scalar> panels;
  panels.depth = matrix.rows();
  panels.count = round_up(matrix.cols(), kWidth) / kWidth;
  panels.stride = panels.depth * kWidth;
  panels.data.assign(static_cast<std::size_t>(panels.count * panels.stride), Scalar{0});
  for (Index q = 0; q < panels.count; ++q)
    pack_panel<Scalar>(matrix.data() + q * kWidth, matrix.outerStride(),
                       std::min(kWidth, matrix.cols() - q * kWidth), panels.depth,
                       panels.data.data() + q * panels.stride);
  return panels;
}

// Panels of rows: panel_q(k, c) = matrix(width q + c, k): the right factor of left * matrix^T, or,
// of the width kTileRows, the transposed left factors of matrix * right.
template <class Scalar>
Panels<Scalar> row_panels(const MatrixRefOf<Scalar>& matrix, Index width = kPanelWidth<Scalar>) {
  Panels<Scalar> panels;
  panels.width = width;
  panels.depth = matrix.cols();
  panels.count = round_up(matrix.rows(), width) / width;
  panels.stride = panels.depth * width;
  panels.data.assign(static_cast<std::size_t>(panels.count * panels.stride), Scalar{0});
  if (panels.stride == 0) return panels;
  for (Index i = 0; i < matrix.rows(); ++i) {
    Scalar* to = panels.data.data() + i / width * panels.stride + i % width;
    for (Index k = 0; k < panels.depth; ++k)
      to[k * width] = matrix(i, k);
  }
  return panels;
}

// Four rows times panels of columns, `rows_of_panels` of them from row `first` on:
// out(r, width q + c) = or += sum_k left(r, k) panel_q(first + k, c).
template <class Scalar, LeftFactor factor, Into into>
void multiply_panels(const Scalar* left, Index left_stride, const Panels<Scalar>& panels,
                     Index first, Index rows_of_panels, Scalar* out, Index out_stride) {
  multiply_tiles<Scalar, factor, into>(
      {left, left_stride, 0, panels.row(first), panels.width, panels.stride, rows_of_panels},
      panels.count, out, out_stride, panels.width);
}

// Rows first ... first + count - 1 of a matrix, in panels of kTileRows, times one panel of rows of
// another: out(j, c) = sum_k tiles(first + j, k) strip(k, c). Rows are written up to the next whole
// tile; `first` is a multiple of kTileRows.
template <class Scalar>
void multiply_strip(const Panels<Scalar>& tiles, Index first, Index count, const Scalar* strip,
                    Scalar* out, Index out_stride) {
  multiply_tiles<Scalar, LeftFactor::kTransposed, Into::kFresh>(
      {tiles.panel(first / kTileRows), kTileRows, tiles.stride, strip, kPanelWidth<Scalar>, 0,
       tiles.depth},
      round_up(count, kTileRows) / kTileRows, out, out_stride, kTileRows * out_stride);
}

}  // namespace attnlab::attention

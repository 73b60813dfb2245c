// The multiply-add kernel: four rows times panels of eight floats or four doubles.
#pragma once

#include "core/simd.h"
#include "core/types.h"

namespace attnlab::attention {

// A panel is two vectors wide; a tile is four rows of a panel: eight accumulators, two vectors of
// the panel and four broadcast entries fit the sixteen registers that there are.
template <class Scalar>
inline constexpr Index kPanelWidth = 2 * simd::PackOf<Scalar>::kLanes;
inline constexpr Index kTileRows = 4;

// How the four rows of the left factor lie in memory: entry (r, k) at r * stride + k, or, for the
// transpose of a stored matrix, at k * stride + r.
enum class LeftFactor { kRows, kTransposed };

// Whether a product replaces what stands in the result or is added to it.
enum class Into { kFresh, kSum };

// Where the factors of a product of tiles lie, and how far it is from each tile's to the next's.
template <class Scalar>
struct TileFactors {
  const Scalar* left;
  Index left_stride;
  Index left_step;
  const Scalar* panel;
  Index panel_stride;  // from a row to the next
  Index panel_step;
  Index depth;
};

// out_t(r, c) = or += sum_k left_t(r, k) panel_t(k, c), r < 4, t < count, k < depth; sums run over
// k in order. Never inlined: engines that compile in tiers replace a function only between two
// calls.
template <class Scalar, LeftFactor factor, Into into>
__attribute__((noinline)) void multiply_tiles(const TileFactors<Scalar>& factors, Index count,
                                              Scalar* out, Index out_stride, Index out_step) {
  using Vector = simd::Pack<Scalar>;
  constexpr int kLanes = simd::PackOf<Scalar>::kLanes;
  // Transposed, the four entries follow each other: one pointer serves them all.
  constexpr bool kRows = factor == LeftFactor::kRows;
  const Index left_stride = factors.left_stride;
  const Index depth_step = kRows ? 1 : left_stride;
  const Index panel_stride = factors.panel_stride;
  const Index depth = factors.depth;
  for (Index t = 0; t < count; ++t) {
    const Scalar* panel = factors.panel + t * factors.panel_step;
    const Scalar* left0 = factors.left + t * factors.left_step;
    const Scalar *left1 = left0, *left2 = left0, *left3 = left0;
    if constexpr (kRows) {
      left1 += left_stride;
      left2 += 2 * left_stride;
      left3 += 3 * left_stride;
    }
    Vector sum00{}, sum01{}, sum10{}, sum11{}, sum20{}, sum21{}, sum30{}, sum31{};
    for (Index k = 0; k < depth; ++k) {
      const auto first = simd::load<Vector>(panel);
      const auto second = simd::load<Vector>(panel + kLanes);
      panel += panel_stride;
      const Vector entry0 = simd::splat(*left0);
      sum00 = simd::multiply_add(entry0, first, sum00);
      sum01 = simd::multiply_add(entry0, second, sum01);
      const Vector entry1 = simd::splat(kRows ? *left1 : left0[1]);
      sum10 = simd::multiply_add(entry1, first, sum10);
      sum11 = simd::multiply_add(entry1, second, sum11);
      const Vector entry2 = simd::splat(kRows ? *left2 : left0[2]);
      sum20 = simd::multiply_add(entry2, first, sum20);
      sum21 = simd::multiply_add(entry2, second, sum21);
      const Vector entry3 = simd::splat(kRows ? *left3 : left0[3]);
      sum30 = simd::multiply_add(entry3, first, sum30);
      sum31 = simd::multiply_add(entry3, second, sum31);
      left0 += depth_step;
      if constexpr (kRows) {
        ++left1;
        ++left2;
        ++left3;
      }
    }
    Scalar* to = out + t * out_step;
    const auto put = [to](Index at, Vector value) {
      if constexpr (into == Into::kSum) value = value + simd::load<Vector>(to + at);
      simd::store(to + at, value);
    };
    put(0, sum00);
    put(kLanes, sum01);
    put(out_stride, sum10);
    put(out_stride + kLanes, sum11);
    put(2 * out_stride, sum20);
    put(2 * out_stride + kLanes, sum21);
    put(3 * out_stride, sum30);
    put(3 * out_stride + kLanes, sum31);
  }
}

}  // namespace attnlab::attention

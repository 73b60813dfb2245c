// The kernels as functions of a vector of scores, with their derivatives.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/portable.h"
#include "core/simd.h"
#include "core/simd_math.h"

namespace attnlab::attention {

template <class Vector>
using MaskOf = std::conditional_t<std::is_same_v<Vector, simd::F32x4>, simd::I32x4, simd::I64x2>;

inline simd::F32x4 narrow(simd::F64x2 low, simd::F64x2 high) {
  return simd::F32x4{static_cast<float>(low[0]), static_cast<float>(low[1]),
                     static_cast<float>(high[0]), static_cast<float>(high[1])};
}
inline simd::F64x2 widen_low(simd::F32x4 x) {
  return simd::F64x2{x[0], x[1]};
}
inline simd::F64x2 widen_high(simd::F32x4 x) {
  return simd::F64x2{x[2], x[3]};
}

inline simd::F64x2 log1p_of_unit(simd::F64x2 x) {
  return simd::log1p_of_unit(x);
}
inline simd::F32x4 log1p_of_unit(simd::F32x4 x) {
  return narrow(simd::log1p_of_unit(widen_low(x)), simd::log1p_of_unit(widen_high(x)));
}

// 1 / (1 + e^-x), both tails by e^-|x|. The derivative of softplus.
template <class Vector>
inline Vector sigmoid(Vector x) {
  const Vector power = simd::exp_nonpositive_fast(-simd::magnitude(x));
  const Vector below = power + 1;
  return simd::select((MaskOf<Vector>)(x < 0), power, Vector{} + 1) / below;
}

template <class Vector>
inline Vector sigmoid_slope(Vector x) {
  const Vector power = simd::exp_nonpositive_fast(-simd::magnitude(x));
  const Vector below = power + 1;
  return power / (below * below);
}

// log(1 + e^x).
template <class Vector>
inline Vector softplus(Vector x) {
  return simd::max(x, Vector{}) + log1p_of_unit(simd::exp_nonpositive_fast(-simd::magnitude(x)));
}

inline simd::F64x2 erf(simd::F64x2 x) {
  return simd::F64x2{portable::erf(x[0]), portable::erf(x[1])};
}
inline simd::F32x4 erf(simd::F32x4 x) {
  return narrow(erf(widen_low(x)), erf(widen_high(x)));
}

template <class Vector>
inline Vector erf_slope(Vector x) {
  constexpr double kSlopeAtZero = 1.1283791670955126;  // 2 / sqrt(pi)
  using Scalar = std::remove_cvref_t<decltype(x[0])>;
  return simd::exp_nonpositive_fast(-(x * x)) * static_cast<Scalar>(kSlopeAtZero);
}

template <class Vector>
inline Vector relu(Vector x) {
  return simd::max(x, Vector{});
}

template <class Vector>
inline Vector relu_slope(Vector x) {
  return simd::select((MaskOf<Vector>)(x > 0), Vector{} + 1, Vector{});
}

}  // namespace attnlab::attention

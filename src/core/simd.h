// 128-bit vectors: four floats or two doubles, as every WebAssembly engine with SIMD has them.
//
// The types are the compiler's vector extension (Clang and GCC), so + - * / and the operations on
// bits are plain operators; each lane computes what the scalar operation would, to the bit. The
// functions here are what has no operator. On WebAssembly they are single instructions.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#ifdef __wasm_simd128__
#include <wasm_simd128.h>
#endif

namespace attnlab::simd {

using F32x4 = float __attribute__((vector_size(16)));
using F64x2 = double __attribute__((vector_size(16)));
using U32x4 = std::uint32_t __attribute__((vector_size(16)));
using I32x4 = std::int32_t __attribute__((vector_size(16)));
using U64x2 = std::uint64_t __attribute__((vector_size(16)));
using I64x2 = std::int64_t __attribute__((vector_size(16)));

// The vector of a scalar type and how many lanes it has.
template <class Scalar>
struct PackOf;
template <>
struct PackOf<float> {
  using Type = F32x4;
  static constexpr int kLanes = 4;
};
template <>
struct PackOf<double> {
  using Type = F64x2;
  static constexpr int kLanes = 2;
};
template <class Scalar>
using Pack = typename PackOf<Scalar>::Type;

template <class Vector, class Element>
inline Vector load(const Element* from) {  // no alignment is needed
  static_assert(sizeof(Vector) == 16);
  Vector result;
  std::memcpy(&result, from, sizeof result);
  return result;
}

template <class Vector, class Element>
inline void store(Element* to, Vector value) {
  static_assert(sizeof(Vector) == 16);
  std::memcpy(to, &value, sizeof value);
}

inline F32x4 splat(float value) {
  return F32x4{value, value, value, value};
}
inline F64x2 splat(double value) {
  return F64x2{value, value};
}
inline U64x2 splat(std::uint64_t value) {
  return U64x2{value, value};
}
inline U32x4 splat(std::uint32_t value) {
  return U32x4{value, value, value, value};
}

// The same bits seen as another type of 16 bytes.
template <class To, class From>
inline To bits(From value) {
  return std::bit_cast<To>(value);
}

// mask has all bits of a lane set or none: a where set, else b.
inline F32x4 select(I32x4 mask, F32x4 a, F32x4 b) {
  return bits<F32x4>((bits<I32x4>(a) & mask) | (bits<I32x4>(b) & ~mask));
}
inline F64x2 select(I64x2 mask, F64x2 a, F64x2 b) {
  return bits<F64x2>((bits<I64x2>(a) & mask) | (bits<I64x2>(b) & ~mask));
}

// |a|
inline F32x4 magnitude(F32x4 a) {
  return bits<F32x4>(bits<U32x4>(a) & std::uint32_t{0x7fffffff});
}
inline F64x2 magnitude(F64x2 a) {
  return bits<F64x2>(bits<U64x2>(a) & ~std::uint64_t{0x8000000000000000});
}

// b > a ? b : a in each lane: where b is NaN, a.
inline F32x4 max(F32x4 a, F32x4 b) {
#ifdef __wasm_simd128__
  return (F32x4)wasm_f32x4_pmax((v128_t)a, (v128_t)b);
#else
  return select((I32x4)(a < b), b, a);
#endif
}
inline F64x2 max(F64x2 a, F64x2 b) {
#ifdef __wasm_simd128__
  return (F64x2)wasm_f64x2_pmax((v128_t)a, (v128_t)b);
#else
  return select((I64x2)(a < b), b, a);
#endif
}

// b < a ? b : a in each lane: where b is NaN, a.
inline F32x4 min(F32x4 a, F32x4 b) {
#ifdef __wasm_simd128__
  return (F32x4)wasm_f32x4_pmin((v128_t)a, (v128_t)b);
#else
  return select((I32x4)(b < a), b, a);
#endif
}
inline F64x2 min(F64x2 a, F64x2 b) {
#ifdef __wasm_simd128__
  return (F64x2)wasm_f64x2_pmin((v128_t)a, (v128_t)b);
#else
  return select((I64x2)(b < a), b, a);
#endif
}

inline F64x2 sqrt(F64x2 a) {
#ifdef __wasm_simd128__
  return (F64x2)wasm_f64x2_sqrt((v128_t)a);
#else
  return F64x2{std::sqrt(a[0]), std::sqrt(a[1])};
#endif
}

// a * b + c. Of floats it is rounded once in the relaxed build where the engine has it, else twice:
// for kernels whose last bits may differ between builds. Of doubles it is rounded twice in every
// build: runs, solvers and theory give the same numbers whichever build an engine takes.
inline F32x4 multiply_add(F32x4 a, F32x4 b, F32x4 c) {
#ifdef __wasm_relaxed_simd__
  return (F32x4)wasm_f32x4_relaxed_madd((v128_t)a, (v128_t)b, (v128_t)c);
#else
  return a * b + c;
#endif
}
inline F64x2 multiply_add(F64x2 a, F64x2 b, F64x2 c) {
  return a * b + c;
}

// The sum of the lanes, in the order ((0 + 2) + (1 + 3)).
inline float sum(F32x4 a) {
  return (a[0] + a[2]) + (a[1] + a[3]);
}
inline double sum(F64x2 a) {
  return a[0] + a[1];
}

// The largest lane.
inline float largest(F32x4 a) {
  const float left = a[0] < a[2] ? a[2] : a[0];
  const float right = a[1] < a[3] ? a[3] : a[1];
  return left < right ? right : left;
}
inline double largest(F64x2 a) {
  return a[0] < a[1] ? a[1] : a[0];
}

}  // namespace attnlab::simd

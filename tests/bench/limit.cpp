// The machine's limits in this build: multiply-adds that stay in registers, and the vector
// exponentials of the kernels on data in the nearest cache. A call is some microseconds of work, so
// that an engine which compiles in tiers soon has the optimised function.
#include <emscripten.h>

#include <array>
#include <cstddef>

#include "core/simd.h"
#include "core/simd_math.h"

namespace attnlab {
namespace {

constexpr int kChains = 12;  // with the two factors they fill the sixteen registers but two
constexpr int kSteps = 2000;
constexpr int kEntries = 2048;  // 8 or 16 KiB

// sum = sum * factor + step in kChains chains at once: nothing can be moved out of the loop.
template <class Scalar>
Scalar multiply_adds() {
  using Vector = simd::Pack<Scalar>;
  static volatile Scalar factor = static_cast<Scalar>(0.999);
  static volatile Scalar step = static_cast<Scalar>(0.001);
  const Vector a = simd::splat(Scalar{factor});
  const Vector b = simd::splat(Scalar{step});
  std::array<Vector, kChains> sums;
  for (std::size_t i = 0; i < kChains; ++i)
    sums[i] = simd::splat(static_cast<Scalar>(i));
  for (int k = 0; k < kSteps; ++k)
    for (auto& sum : sums)
      sum = simd::multiply_add(sum, a, b);
  Scalar total{};
  for (const auto& sum : sums)
    total += simd::sum(sum);
  return total;
}

template <class Scalar>
Scalar exponentials() {
  using Vector = simd::Pack<Scalar>;
  constexpr std::size_t kLanes = simd::PackOf<Scalar>::kLanes;
  static std::array<Scalar, kEntries> from = [] {
    std::array<Scalar, kEntries> numbers;
    for (std::size_t i = 0; i < kEntries; ++i)
      numbers[i] = static_cast<Scalar>(i) * static_cast<Scalar>(-0.005);
    return numbers;
  }();
  static std::array<Scalar, kEntries> to;
  for (std::size_t i = 0; i < kEntries; i += kLanes)
    simd::store(&to[i], simd::exp_nonpositive_fast(simd::load<Vector>(&from[i])));
  return to[kEntries / 2];
}

}  // namespace
}  // namespace attnlab

extern "C" {

EMSCRIPTEN_KEEPALIVE float limit_multiply_adds_f32() {
  return attnlab::multiply_adds<float>();
}
EMSCRIPTEN_KEEPALIVE double limit_multiply_adds_f64() {
  return attnlab::multiply_adds<double>();
}
EMSCRIPTEN_KEEPALIVE double limit_multiply_adds_per_call(int lanes) {
  return static_cast<double>(lanes) * attnlab::kChains * attnlab::kSteps;
}
EMSCRIPTEN_KEEPALIVE float limit_exponentials_f32() {
  return attnlab::exponentials<float>();
}
EMSCRIPTEN_KEEPALIVE double limit_exponentials_f64() {
  return attnlab::exponentials<double>();
}
EMSCRIPTEN_KEEPALIVE double limit_exponentials_per_call() {
  return attnlab::kEntries;
}

}  // extern "C"

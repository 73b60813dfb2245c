// Errors in units in the last place, against long double.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace attnlab::tests {

// Natively long double has 64 bits, and its own error is below 0.001 ulp of a double. WebAssembly's
// library falls back to double precision, which errs by up to 3 ulp; there, that the bits are the
// native ones is held by tests/core/core/bits.cpp.
inline constexpr double kReferenceUlp = std::numeric_limits<long double>::digits == 64 ? 0 : 3;

// x, but no constant to the compiler: Clang 19 crashes where it folds a call on a 128-bit constant.
inline long double opaque(long double x) {
  volatile long double hidden = x;
  return hidden;
}

// |actual - expected| in ulps of Scalar at expected; Infinity where exactly one side is NaN or
// infinite. An expected value that rounds to Infinity must be met by Infinity.
template <class Scalar>
double ulps(Scalar actual, long double expected) {
  using Limits = std::numeric_limits<Scalar>;
  const auto rounded = static_cast<Scalar>(expected);
  if (std::isnan(rounded) || std::isnan(actual))
    return std::isnan(rounded) && std::isnan(actual) ? 0 : INFINITY;
  if (actual == rounded && (std::isinf(rounded) || rounded == 0)) return 0;
  if (std::isinf(actual) || std::isinf(rounded)) return INFINITY;
  int exponent = 0;
  std::frexp(rounded, &exponent);
  exponent = std::max(exponent, Limits::min_exponent);
  const long double ulp = std::ldexp(1.0L, exponent - Limits::digits);
  return static_cast<double>(std::fabs(static_cast<long double>(actual) - expected) / ulp);
}

}  // namespace attnlab::tests

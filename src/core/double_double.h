// A number as the unevaluated sum of two doubles, about 106 bits (Dekker, "A floating-point
// technique for extending the available precision", 1971). For the elementary functions, where a
// result must be right to the last bit but one.
#pragma once

namespace attnlab {

struct DoubleDouble {
  double high = 0;
  double low = 0;  // at most half an ulp of high
};

// a + b exactly; |a| >= |b| or a = 0.
inline DoubleDouble fast_two_sum(double a, double b) {
  const double high = a + b;
  return {high, b - (high - a)};
}

// a + b exactly.
inline DoubleDouble two_sum(double a, double b) {
  const double high = a + b;
  const double part = high - a;
  return {high, (a - (high - part)) + (b - part)};
}

// a * b exactly, where neither overflows 2^996 and the product's low half is not subnormal.
inline DoubleDouble two_product(double a, double b) {
  constexpr double kSplitter = 134217729;  // 2^27 + 1
  const double a_scaled = kSplitter * a;
  const double a_high = a_scaled - (a_scaled - a);
  const double a_low = a - a_high;
  const double b_scaled = kSplitter * b;
  const double b_high = b_scaled - (b_scaled - b);
  const double b_low = b - b_high;
  const double high = a * b;
  return {high, ((a_high * b_high - high) + a_high * b_low + a_low * b_high) + a_low * b_low};
}

inline DoubleDouble operator+(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble sum = two_sum(a.high, b.high);
  return fast_two_sum(sum.high, sum.low + (a.low + b.low));
}

inline DoubleDouble operator*(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble product = two_product(a.high, b.high);
  return fast_two_sum(product.high, product.low + (a.high * b.low + a.low * b.high));
}

inline DoubleDouble operator/(DoubleDouble a, DoubleDouble b) {
  const double quotient = a.high / b.high;
  const DoubleDouble back = two_product(quotient, b.high);
  const double rest = ((a.high - back.high) - back.low) + (a.low - quotient * b.low);
  return fast_two_sum(quotient, rest / b.high);
}

}  // namespace attnlab

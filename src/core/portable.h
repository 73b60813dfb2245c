// Elementary functions of our own, in double precision: the same bits natively and as
// WebAssembly, which libm's are not. Only + - * / sqrt and operations on the bits are used.
// Each states its largest error in units in the last place (ulp), measured against long double
// in tests/core/core/portable.cpp.
#pragma once

namespace attnlab::portable {

double exp(double x);    // overflow to Infinity, gradual underflow to 0, NaN kept
double expm1(double x);  // accurate near 0
double log(double x);    // -Infinity at 0, NaN below
double log1p(double x);  // accurate near 0
double pow(double base, double exponent);  // base > 0
double sin(double x);
double cos(double x);
double tanh(double x);
double erf(double x);
double erfc(double x);  // accurate in the tail

}  // namespace attnlab::portable

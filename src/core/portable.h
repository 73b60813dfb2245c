// Elementary functions of our own, in double precision: the same bits natively and as
// WebAssembly, which libm's are not. Only + - * / sqrt and operations on the bits are used.
//
// The bound after each is its largest error in units in the last place (ulp), held against long
// double in tests/core/core/portable.cpp over dense, subnormal, huge and special arguments. Zeros
// keep their sign, infinities give the limits, NaN gives NaN. Cost: 5 to 15 ns, pow 60 ns.
#pragma once

namespace attnlab::portable {

double exp(double x);    // 1; overflows to Infinity, underflows gradually to 0
double expm1(double x);  // 1; e^x - 1, accurate near 0
double log(double x);    // 0.9; -Infinity at 0, NaN below
double log1p(double x);  // 0.9; log(1 + x), accurate near 0; -Infinity at -1, NaN below
double pow(double base, double exponent);  // 0.9; NaN for a base below 0
double sin(double x);                      // 0.9, for x of any size; NaN at the infinities
double cos(double x);                      // 0.9, the same
double tanh(double x);                     // 1.6
double erf(double x);                      // 0.9
double erfc(double x);                     // 1.1, also in its tail

}  // namespace attnlab::portable

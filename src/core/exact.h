// Arithmetic whose bits must agree in every build.
//
// The relaxed WebAssembly build lets the compiler fuse a * b + c, which rounds once instead of
// twice. ATTNLAB_EXACT, written as the first line of a function's body, forbids that there, also
// where the function is inlined into code that fuses. GCC has no such pragma; its builds are
// compiled with -ffp-contract=off throughout.
#pragma once

#ifdef __clang__
#define ATTNLAB_EXACT _Pragma("STDC FP_CONTRACT OFF")
#else
#define ATTNLAB_EXACT
#endif

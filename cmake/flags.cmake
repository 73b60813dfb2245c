# Compiler flags, each with its reason.
add_library(attnlab_flags INTERFACE)

find_path(EIGEN3_INCLUDE_DIR Eigen/Core PATH_SUFFIXES eigen3 REQUIRED)
# SYSTEM: Eigen's own warnings are not ours.
target_include_directories(attnlab_flags SYSTEM INTERFACE ${EIGEN3_INCLUDE_DIR})
# Eigen 3.4 has no WebAssembly packets. Without its native ones, sums run in the same order
# everywhere, so native and WebAssembly results agree to the last bit. Nor may it ask the processor
# for its cache sizes: they set the blocks of its products, and so the order of their sums.
target_compile_definitions(attnlab_flags INTERFACE
  EIGEN_DONT_VECTORIZE EIGEN_NO_CPUID EIGEN_MPL2_ONLY)
if(NOT EMSCRIPTEN)
  # The sizes that it takes for WebAssembly.
  target_compile_definitions(attnlab_flags INTERFACE
    EIGEN_DEFAULT_L1_CACHE_SIZE=16384 EIGEN_DEFAULT_L2_CACHE_SIZE=524288
    EIGEN_DEFAULT_L3_CACHE_SIZE=524288)
endif()
target_compile_options(attnlab_flags INTERFACE
  -Wall -Wextra -Wconversion -Wshadow -Werror
  # No fused multiply-add is formed: + - * / sqrt then round alike on every platform and in every
  # build. The relaxed build fuses where a float kernel asks for it (core/simd.h).
  -ffp-contract=off)

if(EMSCRIPTEN)
  # -O3 and not -O2: the kernels gain from unrolling. Exceptions by the engine, not by JavaScript.
  target_compile_options(attnlab_flags INTERFACE -msimd128 -fwasm-exceptions)
  # Eigen puts up to 128 KiB on the stack; Emscripten's own default is 64 KiB.
  target_link_options(attnlab_flags INTERFACE -fwasm-exceptions -sSTACK_SIZE=2MB)
  if(ATTNLAB_RELAXED_SIMD)
    target_compile_options(attnlab_flags INTERFACE -mrelaxed-simd)
  endif()
elseif(ATTNLAB_SANITIZE)
  # -O1 with line tables: compiles in half the time of -O2 -g and reports the same places.
  target_compile_options(attnlab_flags INTERFACE
    -O1 -gline-tables-only -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  # Counters at every branch, which lead the fuzzers (tests/fuzz): one build serves both.
  target_compile_options(attnlab_flags INTERFACE -fsanitize-coverage=inline-8bit-counters,pc-table)
  target_link_options(attnlab_flags INTERFACE -fsanitize=address,undefined)
endif()

# For code that is large and seldom runs.
set(ATTNLAB_SMALL -Oz)

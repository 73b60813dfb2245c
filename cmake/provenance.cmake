# Writes generated/attnlab/provenance.h: version, commit, compiler, flags. It is written anew at
# every build, and touched only when its text changes.
add_custom_target(attnlab_provenance
  COMMAND ${CMAKE_COMMAND}
    -DSOURCE_DIR=${CMAKE_SOURCE_DIR}
    -DOUTPUT=${CMAKE_BINARY_DIR}/generated/attnlab/provenance.h
    "-DCOMPILER=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}"
    "-DVARIANT=$<IF:$<BOOL:${EMSCRIPTEN}>,$<IF:$<BOOL:${ATTNLAB_RELAXED_SIMD}>,relaxed,simd>,native>"
    "-DFLAGS=${CMAKE_BUILD_TYPE} $<JOIN:$<TARGET_PROPERTY:attnlab_flags,INTERFACE_COMPILE_OPTIONS>, >"
    -P ${CMAKE_SOURCE_DIR}/cmake/write_provenance.cmake
  BYPRODUCTS ${CMAKE_BINARY_DIR}/generated/attnlab/provenance.h
  VERBATIM)

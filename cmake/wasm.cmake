# The WebAssembly module: attnlab.mjs (glue) and attnlab.wasm.
add_executable(attnlab ${ATTNLAB_WASM_SOURCES})
target_link_libraries(attnlab PRIVATE attnlab_core attnlab_experiments)
target_compile_options(attnlab PRIVATE $<$<CONFIG:Release>:${ATTNLAB_SMALL}>)
target_link_options(attnlab PRIVATE
  -lembind
  -sMODULARIZE=1 -sEXPORT_ES6=1 -sEXPORT_NAME=createAttnLab
  # Not `node`: the library reads and compiles the module itself and hands it over
  # (instantiateWasm), so the glue needs no file access and bundlers see no `fs` or `path` in it.
  -sENVIRONMENT=web,worker
  # No `new Function`: the page runs under a policy without unsafe-eval.
  -sDYNAMIC_EXECUTION=0
  -sALLOW_MEMORY_GROWTH=1 -sMAXIMUM_MEMORY=4GB -sINITIAL_MEMORY=16MB
  # Failed allocations throw std::bad_alloc, which becomes an error object, instead of aborting.
  -sABORTING_MALLOC=0
  -sFILESYSTEM=0 -sASSERTIONS=0 -sMALLOC=emmalloc
  -sINCOMING_MODULE_JS_API=instantiateWasm,print,printErr)
set_target_properties(attnlab PROPERTIES SUFFIX .mjs)

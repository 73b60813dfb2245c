# The WebAssembly module: attnlab.mjs (glue) and attnlab.wasm.
add_executable(attnlab ${ATTNLAB_WASM_SOURCES})
target_link_libraries(attnlab PRIVATE attnlab_core)
target_link_options(attnlab PRIVATE
  -lembind
  -sMODULARIZE=1 -sEXPORT_ES6=1 -sEXPORT_NAME=createAttnLab
  -sENVIRONMENT=web,worker,node
  # No `new Function`: the page runs under a policy without unsafe-eval.
  -sDYNAMIC_EXECUTION=0
  # The library compiles the module itself, once a page, and hands it to every instance.
  -sALLOW_MEMORY_GROWTH=1 -sMAXIMUM_MEMORY=4GB -sINITIAL_MEMORY=16MB
  -sFILESYSTEM=0 -sASSERTIONS=0 -sMALLOC=emmalloc -sABORTING_MALLOC=0
  -sINCOMING_MODULE_JS_API=instantiateWasm,locateFile,wasmBinary,print,printErr)
set_target_properties(attnlab PROPERTIES SUFFIX .mjs)

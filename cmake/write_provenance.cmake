file(READ ${SOURCE_DIR}/package.json PACKAGE)
string(JSON VERSION GET ${PACKAGE} version)
# Where the compiler runs in a root of its own there is no git: the caller then hands the commit in.
set(COMMIT "$ENV{ATTNLAB_COMMIT}")
if(NOT COMMIT)
  execute_process(COMMAND git -C ${SOURCE_DIR} rev-parse --short=12 HEAD
    OUTPUT_VARIABLE COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE FAILED)
  if(FAILED)
    set(COMMIT "unknown")
  endif()
endif()
set(TEXT "// Written by cmake/write_provenance.cmake at every build.
#pragma once
#define ATTNLAB_VERSION \"${VERSION}\"
#define ATTNLAB_VARIANT \"${VARIANT}\"
#define ATTNLAB_PROVENANCE \\
  \"attnlab ${VERSION}, commit ${COMMIT}, ${COMPILER}, ${VARIANT}, ${FLAGS}\"
")
file(WRITE ${OUTPUT}.new "${TEXT}")
file(COPY_FILE ${OUTPUT}.new ${OUTPUT} ONLY_IF_DIFFERENT)

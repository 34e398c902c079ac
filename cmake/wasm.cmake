# SPDX-License-Identifier: Apache-2.0
# The preset `wasm`: the page of the explorer, compiled by Debian's emscripten.
#   - Abseil from Debian's source package, as there is no other library of it for WebAssembly
#   - no solver: explorer/wasm/no_solver has a z3++.h without content
#   - the C++ library of emscripten 3.1.6 has no range algorithms: explorer/wasm/range_algorithms.h has those in use
# Only the target tileproof_explorer_wasm is built.
include(FetchContent)
set(CMAKE_HAVE_LIBC_PTHREAD ON CACHE BOOL "emscripten has the functions; the page starts no thread")
set(CMAKE_CXX_FLAGS "${CMAKE_CXX_FLAGS} -include ${PROJECT_SOURCE_DIR}/explorer/wasm/range_algorithms.h")
set(ABSL_PROPAGATE_CXX_STD ON)
FetchContent_Declare(abseil
  URL http://deb.debian.org/debian/pool/main/a/abseil/abseil_20220623.1.orig.tar.gz
  URL_HASH SHA256=abfe2897f3a30edaa74bc34365afe3c2a3cd012091a97dc7e008f7016adcd5fe
  DOWNLOAD_EXTRACT_TIMESTAMP ON)
FetchContent_GetProperties(abseil)
if(NOT abseil_POPULATED)
  FetchContent_Populate(abseil)
  add_subdirectory(${abseil_SOURCE_DIR} ${abseil_BINARY_DIR} EXCLUDE_FROM_ALL SYSTEM)
endif()
set(TILEPROOF_WITHOUT_SOLVER ON)
set(Z3_INCLUDE_DIR ${PROJECT_SOURCE_DIR}/explorer/wasm/no_solver)
set(Z3_LIBRARY "")

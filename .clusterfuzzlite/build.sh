#!/bin/bash -eu
# SPDX-License-Identifier: Apache-2.0
# Builds the fuzz targets into $OUT as OSS-Fuzz and ClusterFuzzLite ask for it: with their compilers and flags ($CC, $CXX, $CFLAGS, $CXXFLAGS),
# their engine ($LIB_FUZZING_ENGINE), beside each program its dictionary, options and seeds. https://google.github.io/oss-fuzz/getting-started/new-project-guide
#
# What the targets stand on, and what was decided:
# * Abseil and Z3 in the versions of Debian 12, which is what Tileproof is built with. Where their sources lie in $SRC (the Dockerfile fetches
#   them) they are built here, static: the packages of the base image are of another distribution and of another C++ library than
#   $CXXFLAGS asks for.
# * Z3 is no target: it is built by clang whatever the engine, without coverage and without checks of undefined behaviour. Where AddressSanitizer is
#   asked for, it has that, as vectors of libc++ tell it their bounds, and it finds false overflows where the linker mixes functions that do with
#   functions that do not; but Z3's own reads and writes are not looked at, which halves what it takes to build and to run.
# * Z3 4.8.12 has templates that nobody uses and that name members which do not exist. Clang 19 and later refuse them, unless templates are
#   parsed where they are used; in the one file that says "using namespace std", `vector` would then be two. Its scripts ask a module that
#   Python 3.12 has no more for a folder that nobody uses.
# * Without those sources what the system has is taken (so the test does, on Debian), and shared libraries that the runner image would not
#   have go to $OUT/lib, where the programs look.
#
# TILEPROOF_TARGETS: some targets instead of all, "shape_text_fuzzer map_equal_fuzzer".
source=$SRC/tileproof
dependencies=$WORK/dependencies
build=$WORK/tileproof
targets=${TILEPROOF_TARGETS:-$(sed -n 's/^tileproof_fuzzer(\([a-z_]*\) .*/\1_fuzzer/p' "$source/fuzz/targets/CMakeLists.txt")}
jobs=${TILEPROOF_JOBS:-$(nproc)}

dependency() {  # NAME OPTION..
  local name=$1
  shift
  [ -d "$SRC/$name" ] || return 0
  cmake -S "$SRC/$name" -B "$WORK/$name" -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$dependencies" -DCMAKE_CXX_STANDARD=20 \
    -DBUILD_SHARED_LIBS=OFF "$@"
  cmake --build "$WORK/$name" -j "$jobs" --target install
}

dependency abseil-cpp -DABSL_ENABLE_INSTALL=ON -DABSL_PROPAGATE_CXX_STD=ON -DBUILD_TESTING=OFF
(
  kept=$(grep -oE -- '-fsanitize=address|-stdlib=[^ ]*' <<<"$CXXFLAGS" | sort -u | tr '\n' ' ' || true)
  if [[ $kept == *address* ]]; then
    for part in instrument-reads instrument-writes instrument-atomics instrument-byval stack globals; do kept+="-mllvm -asan-$part=0 "; done
  fi
  export CC=clang CXX=clang++ CFLAGS=$kept
  export CXXFLAGS="$CFLAGS -fdelayed-template-parsing"
  if [ -d "$SRC/z3" ]; then
    sed -i 's/^using namespace std;$/using std::endl;/' "$SRC/z3/src/math/polynomial/upolynomial_factorization.cpp"
    sed -i 's/^import distutils\.sysconfig$/import sysconfig/; s/distutils\.sysconfig\.get_python_lib(.*)$/sysconfig.get_path("purelib")/' "$SRC/z3/scripts/mk_util.py"
  fi
  dependency z3 -DZ3_BUILD_LIBZ3_SHARED=OFF -DZ3_BUILD_EXECUTABLE=OFF -DZ3_BUILD_TEST_EXECUTABLES=OFF -DZ3_ENABLE_EXAMPLE_TARGETS=OFF
)

# RPATH, not RUNPATH: it holds for libraries of libraries, too.
cmake -S "$source" -B "$build" -DTILEPROOF_ONLY_FUZZ=ON -DCMAKE_PREFIX_PATH="$dependencies" \
  -DTILEPROOF_FUZZING_ENGINE="${LIB_FUZZING_ENGINE// /;}" \
  -DCMAKE_BUILD_WITH_INSTALL_RPATH=ON '-DCMAKE_INSTALL_RPATH=$ORIGIN/lib' -DCMAKE_EXE_LINKER_FLAGS=-Wl,--disable-new-dtags
cmake --build "$build" -j "$jobs" --target $targets fuzz_seeds

LLVM_PROFILE_FILE=/dev/null "$build/bin/fuzz_seeds" "$source/corpus" "$build"
for target in $targets; do
  cp "$build/bin/$target" "$OUT/"
  cp "$build/$target.options" "$OUT/"
  if [ -d "$build/${target}_seed_corpus" ]; then
    cp "$build/$target.dict" "$OUT/"
    rm -f "$OUT/${target}_seed_corpus.zip"
    (cd "$build/${target}_seed_corpus" && find . -type f | sort | zip -q -X "$OUT/${target}_seed_corpus.zip" -@)
  fi
  # Everything but the C library and what the compiler brings; what an earlier target needed is there.
  ldd "$OUT/$target" | awk '$2 == "=>" && $3 ~ /^\// {print $3}' | grep -v "^$OUT/" | grep -vE '/(libc|libm|libdl|librt|libpthread|libresolv|libgcc_s)\.so' |
    while read -r library; do
      mkdir -p "$OUT/lib"
      cp -Lu "$library" "$OUT/lib/"
    done
done

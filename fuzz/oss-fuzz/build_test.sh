#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs .clusterfuzzlite/build.sh in a scratch folder, then checks $OUT with check_out.sh. Sets the
# variables that OSS-Fuzz's scripts `compile` and `compile_afl` set, for this machine's clang and
# C++ library.
#   build_test.sh SOURCE SCRATCH SANITIZER TARGET..
# FUZZING_ENGINE: libfuzzer, or afl (Debian's afl++, with the system's packages). SOURCES: a folder
# with abseil-cpp, z3 or both, as the Dockerfile fetches them. The test then also builds these, and
# everything with libc++, as OSS-Fuzz does.
set -euo pipefail
source=$(cd "$1" && pwd)
scratch=$2
export SANITIZER=$3 FUZZING_ENGINE=${FUZZING_ENGINE:-libfuzzer}
shift 3
tools=(clang++ zip unzip python3 objdump)
[ "$FUZZING_ENGINE" = libfuzzer ] || tools+=(afl-clang-fast++ afl-fuzz)
for tool in "${tools[@]}"; do
  command -v "$tool" >/dev/null || { echo "no $tool"; exit 77; }
done

rm -rf "$scratch"
mkdir -p "$scratch/src" "$scratch/work" "$scratch/out"
scratch=$(cd "$scratch" && pwd)
mkdir "$scratch/src/tileproof"  # a copy, because the scratch folder may be inside the source
tar -C "$source" -cf - --exclude=./build --exclude=./.git . | tar -C "$scratch/src/tileproof" -xf -
export SRC=$scratch/src WORK=$scratch/work OUT=$scratch/out ARCHITECTURE=x86_64 TILEPROOF_TARGETS="$*"

# The flags of OSS-Fuzz's base-builder. It uses unsigned overflows as coverage and silences their
# reports.
checks=array-bounds,bool,builtin,enum,function,integer-divide-by-zero,null,object-size,return,returns-nonnull-attribute,shift,signed-integer-overflow,unreachable,vla-bound,vptr
flags="-O1 -fno-omit-frame-pointer -gline-tables-only -DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION"
instrument=-fsanitize=fuzzer-no-link  # other engines have their own
case $FUZZING_ENGINE in
  libfuzzer) export CC=clang CXX=clang++ LIB_FUZZING_ENGINE=-fsanitize=fuzzer ;;
  afl)
    instrument=
    export CC=afl-clang-fast CXX=afl-clang-fast++ LIB_FUZZING_ENGINE=$scratch/libFuzzingEngine.a
    export AFL_QUIET=1 AFL_LLVM_DICT2FILE=$OUT/afl++.dict
    cp /usr/lib/afl/libAFLDriver.a "$LIB_FUZZING_ENGINE"
    ;;
  *) echo "expected the engine libfuzzer or afl, found $FUZZING_ENGINE"; exit 2 ;;
esac
case $SANITIZER in
  address) flags+=" -fsanitize=address -fsanitize-address-use-after-scope $instrument" ;;
  undefined) flags+=" -fsanitize=$checks,unsigned-integer-overflow -fno-sanitize-recover=$checks $instrument" ;;
  coverage) flags+=" -fprofile-instr-generate -fcoverage-mapping -pthread -Wl,--no-as-needed -Wl,-ldl -Wl,-lm -Wno-unused-command-line-argument" ;;
  *) echo "expected address, undefined or coverage, found $SANITIZER"; exit 2 ;;
esac
export CFLAGS=$flags CXXFLAGS=$flags UBSAN_OPTIONS=silence_unsigned_overflow=1
if [ -n "${SOURCES:-}" ]; then
  cp -r "$SOURCES"/. "$SRC"
  CXXFLAGS+=" -stdlib=libc++"
fi
cp "$source/.clusterfuzzlite/build.sh" "$SRC/build.sh"  # as the Dockerfile does
(cd "$SRC/tileproof" && bash -eux "$SRC/build.sh") >"$scratch/log" 2>&1 || { tail -30 "$scratch/log"; echo "build.sh failed"; exit 1; }

# For coverage, OSS-Fuzz copies these folders to the runner and fails on dangling links.
nowhere=$(find -L "$SRC" "$WORK" -type l -print -quit)
[ -z "$nowhere" ] || { echo "$nowhere is a dangling link"; exit 1; }
# The runner has $OUT in another place, and none of the other folders.
for folder in src work out; do mv "$scratch/$folder" "$scratch/not-$folder"; done
OUT=$scratch/not-out "$source/fuzz/oss-fuzz/check_out.sh" "$scratch/check" "$@"

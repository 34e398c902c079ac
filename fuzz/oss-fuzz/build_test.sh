#!/usr/bin/env bash
# Runs .clusterfuzzlite/build.sh in a scratch folder with the variables of OSS-Fuzz, as their scripts compile and compile_afl set them (for this
# machine's clang and C++ library), and has check_out.sh look at $OUT.
#   build_test.sh SOURCE SCRATCH SANITIZER TARGET..
# FUZZING_ENGINE: libfuzzer, or afl (Debian's afl++, of the packages of the system).
# SOURCES: a folder with abseil-cpp and z3 (or one of them), as the Dockerfile fetches them. Then these are built, too, and all of it for libc++, as
# there.
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
mkdir "$scratch/src/tileproof"  # a copy: the scratch folder may lie within the source
tar -C "$source" -cf - --exclude=./build --exclude=./.git . | tar -C "$scratch/src/tileproof" -xf -
export SRC=$scratch/src WORK=$scratch/work OUT=$scratch/out ARCHITECTURE=x86_64 TILEPROOF_TARGETS="$*"

# Of their base-builder. Overflows of unsigned integers are coverage to them, and silenced.
checks=array-bounds,bool,builtin,enum,function,integer-divide-by-zero,null,object-size,return,returns-nonnull-attribute,shift,signed-integer-overflow,unreachable,vla-bound,vptr
flags="-O1 -fno-omit-frame-pointer -gline-tables-only -DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION"
instrument=-fsanitize=fuzzer-no-link  # other engines bring their own
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

# For coverage they copy these folders to the runner, and stop at links to nothing.
nowhere=$(find -L "$SRC" "$WORK" -type l -print -quit)
[ -z "$nowhere" ] || { echo "$nowhere is a link to nothing"; exit 1; }
# The runner has another place for $OUT, and nothing else.
for folder in src work out; do mv "$scratch/$folder" "$scratch/not-$folder"; done
OUT=$scratch/not-out "$source/fuzz/oss-fuzz/check_out.sh" "$scratch/check" "$@"

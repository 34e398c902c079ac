#!/usr/bin/env bash
# Runs .clusterfuzzlite/build.sh in a scratch folder with the variables of OSS-Fuzz, as their compile script sets them (for this
# machine's clang and C++ library), and looks at $OUT as their bad_build_check, run_fuzzer and coverage do.
#   build_test.sh SOURCE SCRATCH SANITIZER TARGET..
# SOURCES: a folder with abseil-cpp and z3, as the Dockerfile fetches them. Then these are built, too, and all of it for libc++, as there.
set -euo pipefail
source=$(cd "$1" && pwd)
scratch=$2
export SANITIZER=$3
shift 3
for tool in clang++ zip unzip; do
  command -v "$tool" >/dev/null || { echo "no $tool"; exit 77; }
done

rm -rf "$scratch"
mkdir -p "$scratch/src" "$scratch/work" "$scratch/out"
scratch=$(cd "$scratch" && pwd)
mkdir "$scratch/src/tileproof"  # a copy: the scratch folder may lie within the source
tar -C "$source" -cf - --exclude=./build --exclude=./.git . | tar -C "$scratch/src/tileproof" -xf -
export SRC=$scratch/src WORK=$scratch/work OUT=$scratch/out FUZZING_ENGINE=libfuzzer LIB_FUZZING_ENGINE=-fsanitize=fuzzer
export CC=clang CXX=clang++ ARCHITECTURE=x86_64 TILEPROOF_TARGETS="$*"
flags="-O1 -fno-omit-frame-pointer -gline-tables-only -DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION"
case $SANITIZER in
  address) flags+=" -fsanitize=address -fsanitize-address-use-after-scope -fsanitize=fuzzer-no-link" ;;
  undefined) flags+=" -fsanitize=array-bounds,bool,builtin,enum,function,integer-divide-by-zero,null,object-size,return,returns-nonnull-attribute,shift,signed-integer-overflow,unreachable,vla-bound,vptr -fno-sanitize-recover=all -fsanitize=fuzzer-no-link" ;;
  coverage) flags+=" -fprofile-instr-generate -fcoverage-mapping -pthread -Wl,--no-as-needed -Wl,-ldl -Wl,-lm -Wno-unused-command-line-argument" ;;
  *) echo "expected address, undefined or coverage, found $SANITIZER"; exit 2 ;;
esac
export CFLAGS=$flags CXXFLAGS=$flags
if [ -n "${SOURCES:-}" ]; then
  for name in abseil-cpp z3; do cp -r "$SOURCES/$name" "$SRC/$name"; done
  CXXFLAGS+=" -stdlib=libc++"
fi
cp "$source/.clusterfuzzlite/build.sh" "$SRC/build.sh"  # as the Dockerfile does
(cd "$SRC/tileproof" && bash -eu "$SRC/build.sh") >"$scratch/log" 2>&1 || { tail -30 "$scratch/log"; echo "build.sh failed"; exit 1; }

wrong() {
  echo "$*"
  exit 1
}
# The runner has another place for it, and no source.
moved=$scratch/not-out
mv "$OUT" "$moved"
for target in "$@"; do
  program=$moved/$target
  [ -x "$program" ] || wrong "$target is no program in \$OUT"
  missing=$(ldd "$program" | grep 'not found' || true)
  [ -z "$missing" ] || wrong "$target: $missing"
  outside=$(ldd "$program" | awk '$2 == "=>" {print $3}' | grep -v "^$moved/" |
    grep -vE '/(libc|libm|libdl|librt|libpthread|libresolv|libgcc_s)\.so' || true)
  [ -z "$outside" ] || wrong "$target needs what the runner does not have: $outside"
  for option in max_len rss_limit_mb timeout; do
    grep -qE "^$option = [0-9]+$" "$moved/$target.options" || wrong "$target.options: no $option"
  done
  head -1 "$moved/$target.options" | grep -qx '\[libfuzzer\]' || wrong "$target.options: not of libFuzzer"
  inputs=$scratch/inputs/$target
  mkdir -p "$inputs"
  dictionary=()
  if [ -f "$moved/${target}_seed_corpus.zip" ]; then
    unzip -q "$moved/${target}_seed_corpus.zip" -d "$inputs"
    [ "$(find "$inputs" -type f | wc -l)" -gt 10 ] || wrong "$target: hardly any seeds"
    named=$(sed -n 's/^dict = //p' "$moved/$target.options")
    [ -f "$moved/$named" ] || wrong "$target.options names the dictionary '$named', which is not there"
    dictionary=(-dict="$moved/$named")
  fi
  run() { (cd "$scratch" && LLVM_PROFILE_FILE="$scratch/$target.profraw" "$program" -rss_limit_mb=4096 "$@") >"$scratch/run" 2>&1; }
  calls() { objdump -d "$program" | grep -cE "call.*<$1" || true; }
  if [ "$SANITIZER" = coverage ]; then  # without the coverage that libFuzzer looks at, it only merges
    mkdir -p "$scratch/none"
    run -merge=1 -timeout=100 "$scratch/none" "$inputs" || { tail -20 "$scratch/run"; wrong "$target does not run"; }
    [ -s "$scratch/$target.profraw" ] || wrong "$target writes no profile"
  else
    run -seed=1337 -runs=4 || { tail -20 "$scratch/run"; wrong "$target crashes at start"; }
    run -runs=400 -timeout=60 "${dictionary[@]}" "$inputs" || { tail -20 "$scratch/run"; wrong "$target does not run"; }
    grep -q 'INFO: Loaded .* PC tables' "$scratch/run" || wrong "$target is not instrumented"
    # The numbers are those of bad_build_check.
    if [ "$SANITIZER" = address ]; then
      [ "$(calls __asan)" -ge 1000 ] || wrong "$target: $(calls __asan) calls of AddressSanitizer, expected 1000 at least"
      [ "$(calls __ubsan)" -le 200 ] || wrong "$target: $(calls __ubsan) calls of UndefinedBehaviorSanitizer, expected 200 at most"
    else
      [ "$(calls __ubsan)" -ge 1 ] || wrong "$target has no UndefinedBehaviorSanitizer"
      [ "$(calls __asan)" = 0 ] || wrong "$target has AddressSanitizer, too"
    fi
  fi
  echo "$target ($SANITIZER): good"
done

#!/usr/bin/env bash
# A target built by the preset of AFL++ (Debian's afl++) runs under afl-fuzz.
#   afl_test.sh SOURCE SCRATCH
set -euo pipefail
source=$1 scratch=$2
command -v afl-clang-fast++ >/dev/null && [ -f /usr/lib/afl/libAFLDriver.a ] || { echo "no afl++"; exit 77; }
mkdir -p "$scratch"
cmake -S "$source" -B "$scratch" --preset afl -G Ninja >"$scratch/log" 2>&1 && cmake --build "$scratch" --target shape_text_fuzzer fuzz_seeds -j 2 >>"$scratch/log" 2>&1 ||
  { tail -20 "$scratch/log"; echo "the target does not build"; exit 1; }
rm -rf "$scratch/seeds"
mkdir "$scratch/seeds"
"$scratch/bin/fuzz_seeds" "$source/corpus" "$scratch/seeds"
"$(dirname "$0")/afl_run.sh" "$scratch/bin/shape_text_fuzzer" "$scratch/seeds/shape_text_fuzzer_seed_corpus" \
  "$scratch/seeds/shape_text_fuzzer.dict" "$scratch/afl"

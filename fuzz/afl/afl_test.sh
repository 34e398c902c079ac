#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds targets with the AFL++ preset (Debian's afl++) and runs them under afl-fuzz; all targets if
# none is named.
#   afl_test.sh SOURCE SCRATCH [TARGET..]
set -euo pipefail
source=$1 scratch=$2
shift 2
command -v afl-clang-fast++ >/dev/null && [ -f /usr/lib/afl/libAFLDriver.a ] || { echo "no afl++"; exit 77; }
mkdir -p "$scratch"
cmake -S "$source" -B "$scratch" --preset afl -G Ninja >"$scratch/log" 2>&1 && cmake --build "$scratch" --target "${@:-fuzz_targets}" fuzz_seeds -j "$(nproc)" >>"$scratch/log" 2>&1 ||
  { tail -20 "$scratch/log"; echo "building the targets failed"; exit 1; }
rm -rf "$scratch/seeds"
mkdir "$scratch/seeds"
"$scratch/bin/fuzz_seeds" "$source/corpus" "$scratch/seeds"
[ $# -gt 0 ] || set -- $(basename -s .options "$scratch"/seeds/*_fuzzer.options)
for target; do
  "$(dirname "$0")/afl_run.sh" "$scratch/bin/$target" "$scratch/seeds/${target}_seed_corpus" "$scratch/seeds/$target.dict" "$scratch/afl"
done

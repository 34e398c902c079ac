#!/usr/bin/env bash
# A target built by AFL++ (Debian's afl++) runs under afl-fuzz in persistent mode and finds new paths from the seeds.
#   afl_test.sh SOURCE SCRATCH
set -euo pipefail
source=$1 scratch=$2
command -v afl-clang-fast++ >/dev/null && [ -f /usr/lib/afl/libAFLDriver.a ] || { echo "no afl++"; exit 77; }
mkdir -p "$scratch"
cmake -S "$source" -B "$scratch" --preset afl -G Ninja >"$scratch/log" 2>&1 && cmake --build "$scratch" --target shape_text_fuzzer fuzz_seeds -j 2 >>"$scratch/log" 2>&1 ||
  { tail -20 "$scratch/log"; echo "the target does not build"; exit 1; }
rm -rf "$scratch/found" "$scratch/seeds"
mkdir "$scratch/seeds"
"$scratch/bin/fuzz_seeds" "$source/corpus" "$scratch/seeds"
mkdir "$scratch/seeds/few"
cp $(ls "$scratch"/seeds/shape_text_fuzzer_seed_corpus/* | head -20) "$scratch/seeds/few"
export AFL_NO_UI=1 AFL_SKIP_CPUFREQ=1 AFL_NO_AFFINITY=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 AFL_FAST_CAL=1
afl-fuzz -E 20000 -t 5000+ -m none -x "$scratch/seeds/shape_text_fuzzer.dict" -i "$scratch/seeds/few" -o "$scratch/found" \
  -- "$scratch/bin/shape_text_fuzzer" >"$scratch/run" 2>&1 || { tail -20 "$scratch/run"; echo "afl-fuzz failed"; exit 1; }
stats=$scratch/found/default/fuzzer_stats
value() { sed -n "s/^$1 *: //p" "$stats"; }
echo "$(value execs_done) runs, $(value corpus_count) inputs, $(value edges_found) edges, $(value saved_crashes) crashes, mode $(value target_mode)"
[ "$(value execs_done)" -ge 20000 ] && [ "$(value corpus_found)" -gt 0 ] && [ "$(value saved_crashes)" = 0 ]
value target_mode | grep -q persistent

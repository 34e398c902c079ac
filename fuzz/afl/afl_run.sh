#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs a program built by AFL++ under afl-fuzz, with the options of OSS-Fuzz's run_fuzzer. Fails
# unless it runs in persistent mode, reads its seeds (the first twenty), finds new paths, and
# neither crashes nor hangs.
#   afl_run.sh PROGRAM SEEDS DICTIONARY SCRATCH
# A target of choices has no seeds and no dictionary.
# RUNS: the number of executions (20000).
set -euo pipefail
program=$1 seeds=$2 dictionary=$3 scratch=$4
runs=${RUNS:-20000}
name=$(basename "$program")
rm -rf "$scratch"
mkdir -p "$scratch/seeds"
echo input >"$scratch/seeds/input"
[ ! -d "$seeds" ] || find "$seeds" -type f | sort | sed -n 1,20p | xargs -r cp -t "$scratch/seeds"
words=()
[ ! -f "$dictionary" ] || words=(-x "$dictionary")
export ASAN_OPTIONS=${ASAN_OPTIONS:-}:abort_on_error=1:symbolize=0:detect_odr_violation=0 UBSAN_OPTIONS=${UBSAN_OPTIONS:-}:symbolize=0
export AFL_NO_UI=1 AFL_SKIP_CPUFREQ=1 AFL_NO_AFFINITY=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 AFL_FAST_CAL=1 AFL_FORKSRV_INIT_TMOUT=30000
afl-fuzz -E "$runs" -t 5000+ -m none "${words[@]}" -i "$scratch/seeds" -o "$scratch/found" -- "$program" >"$scratch/run" 2>&1 ||
  { tail -20 "$scratch/run"; echo "$name: afl-fuzz failed"; exit 1; }
value() { sed -n "s/^$1 *: //p" "$scratch/found/default/fuzzer_stats"; }
echo "$name: $(value execs_done) runs, $(value corpus_count) inputs, $(value edges_found) edges, $(value saved_crashes) crashes, mode $(value target_mode)"
grep -q 'All set and ready to roll' "$scratch/run" || { echo "$name: afl-fuzz did not start"; exit 1; }
[ "$(value execs_done)" -ge "$runs" ] && [ "$(value corpus_found)" -gt 0 ] && [ "$(value saved_crashes)" = 0 ] && [ "$(value saved_hangs)" = 0 ]
value target_mode | grep -q persistent

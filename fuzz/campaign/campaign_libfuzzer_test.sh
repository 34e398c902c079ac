#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Campaigns of a target that is built with this machine's libFuzzer: what -fork and -merge do, in a
# folder whose name has a space.
#   campaign_libfuzzer_test.sh TILEPROOF
set -euo pipefail
program=$1 here=$(cd "$(dirname "$0")" && pwd)
command -v clang++ >/dev/null || { echo "skipped: no clang++"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
wrong() {
  echo "FAILED: $*"
  exit 1
}
cd "$scratch"
mkdir -p "the programs" seeds/layouts
clang++ -g -O1 -fsanitize=fuzzer,address "$here/testdata/toy_fuzzer.cc" -o "the programs/layout_fuzzer"
printf '%s\n' hello bun bug1 >seeds/layouts/regressions.txt  # an initial input that fails
printf '%s\n' be bag >seeds/layouts/real.txt
campaign() { "$program" fuzz layout --programs "the programs" --corpus "the corpus" --seeds seeds "$@" >out 2>&1; }
found="the corpus/layout/findings"

# Killed in the first job or merge, and again. Nothing that libFuzzer started goes on.
for seconds in 2 4; do
  "$program" fuzz layout --programs "the programs" --corpus "the corpus" --seeds seeds --time 600 --jobs 2 >killed 2>&1 &
  sleep $seconds
  kill -9 $!
  wait $! 2>/dev/null && wrong "the campaign ended by itself: $(cat killed)"
  for _ in $(seq 50); do
    [ -z "$(pgrep -f "$scratch/the corpus" || true)" ] && break
    sleep 0.1
  done
  pgrep -fa "$scratch/the corpus" && wrong "processes go on after the campaign was killed"
done

# The next campaign goes on. The initial input that fails is a finding, and the others are fuzzed.
status=0
campaign --time 20 --jobs 2 --json || status=$?
[ $status = 1 ] || wrong "expected status 1, found $status: $(cat out)"
grep -q '"cause":"FOUND: an animal","line":"FOUND: an animal: .b. at ' out || wrong "expected a finding: $(cat out)"
grep -qE '"edges_before":[1-9]' out || wrong "expected edges: $(cat out)"
[ -n "$(ls "the corpus/layout/kept")" ] || wrong "no inputs were kept"
[[ $(cat "$found"/*) = bug* ]] || wrong "expected an input that begins with bug: $(cat "$found"/*)"
"the programs/layout_fuzzer" "$found"/* >replayed 2>&1 && wrong "the finding does not fail again"
[ -z "$(find "the corpus/layout/found" -maxdepth 1 -type f)" ] || wrong "some failing inputs were not filed"

# A program without the bug: a campaign says that the finding no longer fails.
sed 's/"bug"/"cat"/' "$here/testdata/toy_fuzzer.cc" >mended.cc
clang++ -g -O1 -fsanitize=fuzzer,address mended.cc -o "the programs/layout_fuzzer"
rm seeds/layouts/*; printf '%s\n' hello >seeds/layouts/regressions.txt; echo world >seeds/layouts/real.txt
campaign --time 12 || true
grep -q "no longer fails: the corpus/layout/regressions/" out || wrong "expected the end of a finding: $(cat out)"

# A disk that is full, where this machine lets us make one: the finding is printed all the same.
full() {
  mkdir disk
  mount -t tmpfs -o size=256k tmpfs disk 2>/dev/null || exit 3
  head -c 1M /dev/zero >disk/rest 2>/dev/null
  "$program" fuzz layout --programs "the programs" --corpus disk/corpus --seeds seeds --time 10
}
export -f full
clang++ -g -O1 -fsanitize=fuzzer,address "$here/testdata/toy_fuzzer.cc" -o "the programs/layout_fuzzer"
status=0
program=$program unshare -rm bash -c full >out 2>&1 || status=$?
if [ $status = 3 ] || grep -q "^unshare:" out; then
  echo "skipped: a full disk: no right to mount one"
else
  [ $status = 1 ] || wrong "expected status 1 on a full disk, found $status: $(cat out)"
  grep -q "FOUND: an animal" out || wrong "expected a finding on a full disk: $(cat out)"
  grep -q "the campaign goes on without a record" out || wrong "expected a note of the full disk: $(cat out)"
fi
echo "campaigns with libFuzzer: killed, continued, mended"

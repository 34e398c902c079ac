#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Plants a finding in the campaign of tools/run: a target that fails. The campaign must say that it is a bug of
# Tileproof, and which lines to report. Then the campaign of tools/test must pass, in the same clone.
#   finding_test.sh TILEPROOF
set -euo pipefail
program=$1
cd "$(dirname "$0")/.."
root=$PWD scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
wrong() {
  echo "$*"
  exit 1
}

# A clone with two targets, programs that print like libFuzzer. `tileproof` finds them by its own place.
mkdir -p "$scratch/build/release/bin" "$scratch/build/fuzz/bin"
cp "$program" "$scratch/build/release/bin/tileproof"
mkdir "$scratch/corpus"  # no seeds: writing thousands of them takes longer than the campaigns
for target in protocol shape_text; do
  fake=$scratch/build/fuzz/bin/${target}_fuzzer
  printf '#!/bin/sh\n. %q\n[ $mode = merge ] && keep "$second"/*\nstarts; ends\n' "$root/fuzz/campaign/testdata/fake_target.sh" >"$fake"
  chmod +x "$fake"
done
cd "$scratch"
sed -i 's/^starts; ends/starts; fail "{}" "judged error"/' build/fuzz/bin/protocol_fuzzer

# campaign_of SCRIPT FIRST: runs the lines of tools/SCRIPT from the one that begins with FIRST to the next stage.
campaign_of() {
  local lines
  lines=$(awk -v first="$2" 'index($0, first) == 1 { on = 1 } /^stage/ { on = 0 } on' "$root/tools/$1")
  seconds=10 tileproof=build/release/bin/tileproof bash -euc "heading() { echo \"\$*\"; }; $lines"
}
status=0
campaign_of run '$tileproof fuzz' >out 2>&1 || status=$?
[ $status = 1 ] || wrong "expected status 1 of a campaign with a finding, found $status: $(cat out)"
for line in "FOUND: judged error: '{}'" "is a bug of Tileproof" "an issue on the" "ask  .* tileproof" "found a bug of Tileproof"; do
  grep -q "$line" out || wrong "expected '$line' in the campaign of tools/run, found: $(cat out)"
done
campaign_of test 'rm -rf build/test-campaign' >out 2>&1 || wrong "after a finding of tools/run, the campaign of tools/test fails: $(cat out)"
grep -q "shape_text: .* runs\? in" out || wrong "expected a campaign of shape_text, found: $(cat out)"

# Not even a finding of its own target, from an earlier campaign, fails it.
sed -i 's/^starts; ends/starts; fail "f32x" "wrong shape"/' build/fuzz/bin/shape_text_fuzzer
build/release/bin/tileproof fuzz shape_text --time 3s >out 2>&1 && wrong "expected a finding of shape_text"
sed -i 's/^starts; fail/[ $mode = slice ] || fail/; $a starts; ends' build/fuzz/bin/shape_text_fuzzer  # no longer found, but it still fails
campaign_of test 'rm -rf build/test-campaign' >out 2>&1 || wrong "an old finding of shape_text fails tools/test: $(cat out)"
echo "a finding is reported, and fails no later test"

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What the options of `tileproof map` choose and print: --kind, --jobs, --lines. cli/map_options_test.sh PROGRAM CORPUS
set -u
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
corpus=$(cd "$2" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
. "$(dirname "$0")/expect_output.sh"

cat > "$scratch/kinds.hlo" << 'END'
HloModule kinds

ENTRY main {
  p = f32[8,8] parameter(0)
  i = s32[] parameter(1)
  mapped = f32[8,8] transpose(p), dimensions={1,0}
  sliced = f32[2,8] dynamic-slice(p, i, i), dynamic_slice_sizes={2,8}
  opaque = f32[8,8] custom-call(mapped), custom_call_target="x"
  wrong = f32[8,8] reshape(sliced)
  ROOT out = f32[8,8] negate(opaque)
}
END

# names FILE ARGUMENT..: the instructions that `map` lists, in order.
names() {
  local file=$1
  shift
  "$program" map "$@" "$file" 2> /dev/null | sed -n 's/^\(ROOT \)\?\([a-z0-9._]*\) = .*/\2/p' | tr '\n' ' '
}
# listed EXPECTED ARGUMENT..
listed() {
  local expected=$1 got
  shift
  got=$(names "$@")
  [[ $got == "$expected" ]] || { echo "FAILED: map $*"; echo "  expected: $expected"; echo "  found: $got"; failed=1; }
}

# ---- --kind ----

kinds=$scratch/kinds.hlo
listed "p i mapped sliced opaque wrong out " "$kinds"
listed "mapped sliced out " "$kinds" --kind mapped
listed "opaque " "$kinds" --kind superset
listed "opaque " "$kinds" --kind conservative
listed "wrong " "$kinds" --kind refused
listed "" "$kinds" --kind refuted --verify
listed "" "$kinds" --kind undecided --verify
listed "mapped sliced out " "$kinds" --kind mapped --verify
listed "opaque " "$kinds" --kind conservative --direction input_to_output
listed "mapped " "$kinds" --kind mapped --opcode transpose
listed "" "$kinds" --kind conservative --instruction mapped
# The counts are of all instructions, whatever is listed.
for kind in mapped conservative refused; do
  expect 2 "~7 instructions: 3 mapped, 1 superset, 2 no data flow, 1 not analyzed" map --kind $kind "$kinds"
done
expect 2 '~{"summary":{"instructions":7,"mapped":3,"conservative":1,' map --kind refused --json "$kinds"
[[ $("$program" map --kind conservative --json "$kinds" 2> /dev/null | grep -c '"instruction":') == 1 ]] ||
  { echo "FAILED: map --kind conservative --json: expected one instruction"; failed=1; }
# A call whose proof ends at the limit of time.
"$program" map --verify --timeout 1 --kind undecided "$corpus/hlo/slow_call.hlo" > "$scratch/out"
status=$?
[[ $status == 3 && $(grep -c '^  undecided: ' "$scratch/out") == "$(grep -c ' = ' "$scratch/out")" ]] ||
  { echo "FAILED: map --kind undecided: status $status"; cat "$scratch/out"; failed=1; }
grep -q ' [1-9][0-9]* undecided$' "$scratch/out" || { echo "FAILED: expected an undecided call"; failed=1; }
for kind in undecided refuted; do
  expect 2 "~expected --verify with --kind $kind" map --kind $kind "$kinds"
done
expect 2 "~--kind" map --kind proven --verify "$kinds"

# ---- --lines ----

call=$corpus/hlo/slow_call.hlo
for lines in 1 2 5; do
  "$program" map --lines $lines "$call" > "$scratch/out"
  # Each instruction: a headline, at most so many lines in all, and how many more there are.
  awk -v most=$lines '/^[^ ].* = / { count = 0 } / = |^  / { ++count } /^  \.\. [0-9]+ more line/ { --count }
    count > most { print "line " NR ": " $0; exit 1 }' <(sed '1,/^$/d' "$scratch/out") ||
    { echo "FAILED: map --lines $lines prints more lines of an instruction"; failed=1; }
done
expect 0 "~ROOT out = f32[2] negate(p)
  .. 1 more line" map --lines 1 --instruction out $'p = f32[2] parameter(0)\nROOT out = f32[2] negate(p)'
expect 0 "$("$program" map "$call")" map --lines 1000000 "$call"
# Nothing is left out silently: what is printed and what is said to be left out are all lines.
whole=$("$program" map "$call" | wc -l)
"$program" map --lines 3 "$call" > "$scratch/out"
left=$(sed -n 's/^  \.\. \([0-9]*\) more lines\?$/\1/p' "$scratch/out" | awk '{ sum += $1; ++count } END { print sum - count }')
[[ $(($(wc -l < "$scratch/out") + left)) == "$whole" && $left -gt 0 ]] ||
  { echo "FAILED: map --lines 3: $whole lines in all, $left left out of $(wc -l < "$scratch/out")"; failed=1; }
expect 2 "~--lines" map --lines 0 "$kinds"
expect 2 "~--lines" map --lines 3 --json "$kinds"

# ---- --jobs ----

calls='HloModule calls
f { a = f32[8] parameter(0) b = f32[8] reverse(a), dimensions={0} ROOT c = f32[8] add(a, b) }
ENTRY e { p = f32[8] parameter(0) x = f32[8] call(p), to_apply=f y = f32[8] call(x), to_apply=f ROOT z = f32[8] negate(y) }'
# Several modules, with more instructions than threads and with fewer.
{ cat "$kinds"; echo "// -----"; echo "$calls"; echo "// -----"; echo "HloModule one"; echo "ENTRY e { ROOT p = f32[2] parameter(0) }"; } > "$scratch/several"
for words in "" "--json" "--summary" "--verify" "--verify --json" "--verify --summary" "--kind mapped --verify" "--lines 2" \
  "--direction input_to_output --verify" "--opcode negate" "--cache $scratch/cache --verify"; do
  "$program" map $words "$scratch/several" > "$scratch/one" 2> "$scratch/one_error"
  one=$?
  for jobs in 2 64; do
    "$program" map $words --jobs $jobs "$scratch/several" > "$scratch/many" 2> "$scratch/many_error"
    many=$?
    cmp -s "$scratch/one" "$scratch/many" && cmp -s "$scratch/one_error" "$scratch/many_error" && [[ $one == "$many" ]] ||
      { echo "FAILED: map $words --jobs $jobs: status $one and $many, or another output"; failed=1; }
  done
done
for jobs in 0 -1 1025 two; do expect 2 "~--jobs" map --jobs $jobs "$kinds"; done

exit $failed

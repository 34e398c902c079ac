#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What the program says to people: one word for one thing, notes about what an answer leaves out, and hints.
# cli/messages_test.sh PROGRAM
set -u
program=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
source "$(dirname "$0")/expect_output.sh"

# --- A large layout shows the elements beside the edges of its tiles, in every notation -------------------------------
edges='offsets beside the edges of tiles
  [0,1]  1
  [0,127]  127
  [0,128]  1024
  [1,0]  128
  [7,0]  896
  [8,0]  32768
  [4095,4095]  16777215'
too_large='too large to draw as text (--svg FILE draws it)'
expect 0 "~$too_large"$'\n'"$edges" layout 'f32[4096,4096]{1,0:T(8,128)}'
expect 0 "~$edges" layout '((8,512),(128,32)):((128,32768),(1,1024))'
expect 0 "~$edges" layout 'memref<4096x4096xf32, affine_map<(i, j) -> (i floordiv 8, j floordiv 128, i mod 8, j mod 128)>>'
# Each tile of two has its edges, and a transposed layout the same ones.
expect 0 "~
  [0,1]  1
  [0,2]  256
  [0,127]  16129
  [0,128]  32768
  [1,0]  2
  [127,0]  254
  [128,0]  16384
  [255,4095]  1048575" layout 'bf16[256,4096]{0,1:T(128,128)(2,1)}'
expect 0 "~
  [0,1]  2
  [0,127]  254
  [0,128]  1024
  [1,0]  1
  [2,0]  256
  [7,0]  769
  [8,0]  4096
  [63,511]  32767" layout 'bf16[64,512]{1,0:T(8,128)(2,1)}'
# Without tiles there is no edge.
expect 0 "~combine all dimensions"$'\n'"$too_large" layout 'f32[4096,4096]{1,0}'
[[ $("$program" layout 'f32[4096,4096]{0,1}' | tail -1) == "$too_large" ]] || { echo "FAILED: edges without tiles"; failed=1; }
expect 0 '{"bytes":67108864,"dims":[4096,4096],"elements":16777216,"formula":"d0 * 4096 + d1","shape":"f32[4096,4096]{1,0}"}' \
  layout --json 'f32[4096,4096]{1,0}'

# --- One word: superset. JSON keeps conservative and inexact ----------------------------------------------------------
cat > "$scratch/loop.hlo" << 'END'
HloModule loop

body {
  p = (s32[], f32[4]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  one = s32[] constant(1)
  next = s32[] add(i, one)
  x = f32[4] get-tuple-element(p), index=1
  y = f32[4] reverse(x), dimensions={0}
  ROOT t = (s32[], f32[4]) tuple(next, y)
}

condition {
  p = (s32[], f32[4]) parameter(0)
  i = s32[] get-tuple-element(p), index=0
  n = s32[] constant(30)
  ROOT less = pred[] compare(i, n), direction=LT
}

ENTRY main {
  x = f32[4] parameter(0)
  zero = s32[] constant(0)
  start = (s32[], f32[4]) tuple(zero, x)
  ROOT w = (s32[], f32[4]) while(start), condition=condition, body=body
}
END
one="while: the body's map is not followed through the loop"
call='c = f32[4] custom-call(f32[4] p), custom_call_target="t"'
loop=$scratch/loop.hlo
expect 0 "~, 1 superset, " map --verify "$loop"
expect 0 "~
  superset: nothing is missing, some elements may be too many
  superset: $one: 1
" map --verify "$loop"
expect 0 "~: superset: $one" map --instruction w "$loop"
expect 0 "~proven to be a superset" map --verify "$loop"
expect 0 "~unknown: superset: $one" tile "$loop" --output 1 --tile 0:2
expect 0 "~not counted: superset: $one" utilization "$loop"
expect 0 '~"conservative":1,' map --json "$loop"
expect 0 "~\"inexact\":\"$one\"" map --json "$loop"
expect 0 "~ROOT c = f32[4] custom-call(p)" map --kind superset "$call"
expect 0 "~ROOT c = f32[4] custom-call(p)" map --kind conservative "$call"
for command in "map --verify $loop" "tile $loop --output 1 --tile 0:2" "utilization $loop"; do
  # shellcheck disable=SC2086
  "$program" $command 2>&1 | grep -E 'conservative|inexact|what flows|any number of times' && { echo "FAILED: another word in: $command"; failed=1; }
done

# --- Modules are compared by the values they compute, or by what they read --------------------------------------------
expect 1 "~result 0: different at [" equiv 'r = f32[4] subtract(f32[4] x, f32[4] y)' 'r = f32[4] add(f32[4] x, f32[4] y)'
expect 0 "result 0: equal" equiv 'r = f32[4] add(f32[4] x, f32[4] y)' 'r = f32[4] add(f32[4] y, f32[4] x)'
expect 0 '{"equal":true,"results":[{"equal":true,"laws":[],"leaf":[0],"verdict":"equal"}]}' \
  equiv --json 'r = f32[4] add(f32[4] x, f32[4] y)' 'r = f32[4] add(f32[4] x, f32[4] y)'
halves=('r = f32[4] divide(f32[4] x, f32[4] y)' $'ENTRY e {\nx = f32[4] parameter(0)\ny = f32[4] parameter(1)\nc = f32[] constant(1)\no = f32[4] broadcast(c), dimensions={}\ni = f32[4] divide(o, y)\nROOT r = f32[4] multiply(x, i)\n}')
expect 3 "~; equal, if the laws reciprocal are allowed (--law)" equiv "${halves[@]}"
expect 0 "result 0: equal, with the law reciprocal" equiv --law approximate "${halves[@]}"
expect 0 "result 0: equal, with the law reciprocal" equiv --law reciprocal "${halves[@]}"
expect 2 "~--law: expected a law or a level (tileproof equiv --laws lists them), found 'commute'" equiv --law commute "${halves[@]}"
expect 0 "~approximate reciprocal: x / y = x * (1 / y); changes the last bit" equiv --laws
expect 0 "result 0: reads the same elements
Compared: which elements of the parameters each result reads. Not compared: the arithmetic, and the layouts of parameters and results." \
  equiv --reads 'r = f32[4] subtract(f32[4] x, f32[4] y)' 'r = f32[4] subtract(f32[4] y, f32[4] x)'
expect 0 '{"equal":true,"results":[{"equal":true,"result":0}]}' \
  equiv --reads --json 'r = f32[4] add(f32[4] x, f32[4] y)' 'r = f32[4] subtract(f32[4] x, f32[4] y)'

# --- compose and inverse say what they leave out ----------------------------------------------------------------------
noted() {  # NOTE COMMAND..: the note is all of standard error; NOTE may be empty
  local note=$1
  shift
  "$program" "$@" > "$scratch/out" 2> "$scratch/err"
  [[ $(cat "$scratch/err") == "${note:+tileproof: note: $note}" ]] ||
    { echo "FAILED: tileproof $*: expected the note '$note', found: $(cat "$scratch/err")"; failed=1; }
}
digits='(d0) -> (d0 floordiv 8, d0 mod 8), domain: d0 in [0, 29]'
noted "6 of 30 values of d0 are outside the domain of SECOND" compose "$digits" 'f32[3,8]'
noted "" compose "$digits" 'f32[4,8]'
noted "1 of 30 values of d0 is outside the domain of SECOND" compose '(d0) -> (d0), domain: d0 in [0, 29]' '(d0) -> (d0), domain: d0 in [0, 28]'
noted "15 of 30 values of d0 are outside the domain of SECOND" \
  compose '(d0) -> (d0), domain: d0 in [0, 29]' '(d0) -> (d0), domain: d0 in [0, 99], d0 mod 2 in [0, 0]'
noted "8 of 32 points of FIRST are outside the domain of SECOND" compose '(d0, d1) -> (d0 * 8 + d1), domain: d0 in [0, 3], d1 in [0, 7]' 'f32[24]'
noted "at least 5 of 30 values of d0 are outside the domain of SECOND" \
  compose '(d0) -> (d0), domain: d0 in [0, 29]' '(d0)[s0] -> (d0), domain: d0 in [0, 24], s0 in [0, 1], d0 + s0 in [3, 9]'
# Beyond what is evaluated point by point.
noted "24000000 of 100000000 values of d0 are outside the domain of SECOND" \
  compose '(d0) -> (d0), domain: d0 in [0, 99999999]' 'f32[76000000]'
noted "" compose '(d0, d1) -> (d1, d0), domain: d0 in [0, 9999], d1 in [0, 9999]' 'f32[10000,10000]{1,0:T(8,128)}'
noted "points of FIRST may be outside the domain of SECOND" \
  compose '(d0) -> (d0), domain: d0 in [0, 99999999]' '(d0) -> (d0), domain: d0 in [0, 99999999], d0 mod 2 in [0, 0]'
noted "MAP is not one-to-one: d0 = 0 and d0 = 1 both give (0)" inverse '(d0) -> (d0 floordiv 2), domain: d0 in [0, 9]'
noted "MAP is not one-to-one: d0 = 0, d1 = 0 and d0 = 0, d1 = 1 both give (0)" inverse '(d0, d1) -> (d0), domain: d0 in [0, 9], d1 in [0, 1]'
noted "" inverse "$digits"
noted "" inverse 'f32[4096,4096]{1,0:T(8,128)}'
noted "" inverse 'bf16[1024,1024]{1,0:T(8,128)(2,1)}'
noted "" inverse 'f32[1000,1000]{1,0:T(3,4)(2,2)}'
noted "" inverse 'Sw<3,3,3> o 0 o (1024,64):(64,1)'
"$program" inverse '(d0) -> (d0 floordiv 2), domain: d0 in [0, 99999999]' 2>&1 | grep -q 'note: MAP is not one-to-one: the range variables' ||
  { echo "FAILED: no note about a large map"; failed=1; }
# --keep, as in simplify.
identity='(d0, d1) -> (d0, d1), domain: d0 in [0, 29], d1 in [0, 255]'
tiled='(d0, d1) -> ((d0 floordiv 8) * 2048 + (d1 floordiv 128) * 1024 + (d0 mod 8) * 128 + d1 mod 128), domain: d0 in [0, 29], d1 in [0, 255]'
expect 0 "$tiled" compose --keep tiles "$identity" 'f32[30,256]{1,0:T(8,128)}'
expect 0 "$tiled" compose --keep 8,128 "$identity" 'f32[30,256]{1,0:T(8,128)}'
expect 2 "~--keep: expected tiles, or sizes of at least 2: 8,128, found 'x'" compose --keep x "$identity" 'f32[30,256]'
expect 2 "~--unsimplified" compose --keep tiles --unsimplified "$identity" 'f32[30,256]'

# --- Errors and hints -------------------------------------------------------------------------------------------------
expect 2 "~evaluate has no option '--index'; did you mean '--at'?" evaluate 'f32[3,5]' --index 1,2
expect 2 "~layout has no option '--at'; did you mean '--index'?" layout 'f32[3,5]' --at 1,2
expect 2 "~explain has no option '--at'; did you mean '--index'?" explain 'f32[3,5]' --at 1,2
expect 2 "~layout: expected no more arguments, found '2'; did you mean --index 2?" layout 'f32[3,5]' 2
expect 2 "~explain: expected no more arguments, found '2,1'; did you mean --index 2,1?" explain 'f32[3,5]' 2,1
expect 2 "~evaluate: expected no more arguments, found '1'" evaluate 'f32[3,5]' 1 2
expect 2 "~cannot read the file none.hlo: there is none" map none.hlo
expect 2 "~cannot read the file $scratch: it is a folder" map "$scratch"
printf '\x7fELF\x02\x01\x01\x00' > "$scratch/binary"
expect 2 "~map: $scratch/binary: expected an HLO module, as text or as a proto (read as a proto: byte " map "$scratch/binary"
expect 2 "~cannot read the file none.hlo" equiv none.hlo none.hlo
expect 2 "~cannot read the file none.hlo" layout @none.hlo
expect 2 "~found 0; XLA differs: its parser accepts a lone array with repeated or absent dimension numbers, empty or zero tiles" layout 'f32[3,5]{1,0:T(8,0)}'

# --- The steps of a wrong layout: each once, and none that moves nothing ----------------------------------------------
cat > "$scratch/wrong.py" << 'END'
import json, sys
for line in sys.stdin:
    print(json.dumps({"id": json.loads(line)["id"], "result": -1}), flush=True)
END
"$program" generate --suite layout --count 20 > "$scratch/all"
grep -F '"layout.linearize"' "$scratch/all" | grep -F 'T(' > "$scratch/requests"
python3 "$scratch/wrong.py" < "$scratch/requests" > "$scratch/answers" || exit 1
"$program" judge --requests "$scratch/requests" --answers "$scratch/answers" > "$scratch/judged"
grep -q 'combine all dimensions: ([0-9]*) in \[[0-9]*\]' "$scratch/judged" || { echo "FAILED: no steps in: $(cat "$scratch/judged")"; failed=1; }
grep -E 'combine dimensions 0 and 1: \([0-9]+\)|transpose to dimensions 0(,1(,2)?)?:' "$scratch/judged" && { echo "FAILED: a step that moves nothing"; failed=1; }
exit $failed

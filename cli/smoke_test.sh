#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Checks the exit status and the output of the commands about maps and layouts. cli/smoke_test.sh PROGRAM
set -u
program=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
source "$(dirname "$0")/expect_output.sh"

# Plans of copies, and the copy of a file.
expect 0 'for d0 floordiv 8 in [0, 1]: source + 2048, destination + 2048
  for d0 mod 8 in [0, 7]: source + 256, destination + 128
    for d1 floordiv 128 in [0, 1]: source + 128, destination + 1024
      copy runs of 128 elements
16384 bytes to 16384 bytes' relayout 'f32[16,256]{1,0}' 'f32[16,256]{1,0:T(8,128)}'
printf 'abcdef' > "$scratch/rows"
expect 0 '6 bytes to 6 bytes' relayout 'u8[2,3]{1,0}' 'u8[2,3]{0,1}' --in "$scratch/rows" --out "$scratch/columns"
[ "$(cat "$scratch/columns")" = adbecf ] || { echo "FAILED: relayout wrote $(cat "$scratch/columns")"; failed=1; }
# Padding becomes 0; gaps between strides keep what the file holds, unless they are filled.
copied() { # copied BEFORE EXPECTED TO [OPTION]: letters are bytes, 0 is the byte 0
  printf '%s' "$1" > "$scratch/copy"
  "$program" relayout 'u8[2,3]' "$3" --in "$scratch/rows" --out "$scratch/copy" ${4-} > /dev/null
  [ "$(tr '\0' 0 < "$scratch/copy")" = "$2" ] || { echo "FAILED: relayout to $3 wrote $(tr '\0' 0 < "$scratch/copy")"; failed=1; }
}
copied xxxxxxxx abc0def0 '(2,(2,2)):(4,(1,2))'
copied xxxxxxxx abc0def0 'u8[2,3]{1,0:T(1,4)}'
copied xxxxxxx abcxdef '(2,3):(4,1)'
copied xxxxxxx abc0def '(2,3):(4,1)' --fill-gaps
copied xxxxxxxx xabcxdef 'memref<2x3xi8, strided<[4, 1], offset: 1>>'
copied xxxxxxxx 0abc0def 'memref<2x3xi8, strided<[4, 1], offset: 1>>' --fill-gaps
copied 'of another size' abc0def 'memref<2x3xi8, strided<[4, 1]>>'
expect 2 '~expected 8 bytes, the size of the first layout, found 6' relayout 'u8[2,4]' 'u8[2,4]{0,1}' --in "$scratch/rows" --out "$scratch/columns"
expect 2 '~expected layouts of one array, found [2,3] and [3,2]' relayout 'u8[2,3]' 'u8[3,2]'
expect 2 '~expected elements of one width, found 8 and 32 bits' relayout 'u8[2,3]' 'f32[2,3]'
expect 2 '~expected --in and --out together' relayout 'u8[2,3]' 'u8[2,3]' --in "$scratch/rows"
expect 2 '~cannot read the file /nowhere' relayout 'u8[2,3]' 'u8[2,3]' --in /nowhere --out "$scratch/columns"
expect 2 '~cannot write the file /nowhere/x' relayout 'u8[2,3]' 'u8[2,3]' --in "$scratch/rows" --out /nowhere/x

negated='(d0) -> ((-d0) mod 2), domain: d0 in [0, 127]'
plain='(d0) -> (d0 mod 2), domain: d0 in [0, 127]'
shorter='(d0) -> (d0 mod 2), domain: d0 in [0, 126]'
echo "$negated" > "$scratch/map"
printf '%s\n\nno map\n%s\n' "$negated" '(d0) -> (d0), domain: d0 in [1, 0]' > "$scratch/lines"

expect 0 "$plain" simplify "$negated"
expect 0 "$plain" simplify "@$scratch/map"
expect 0 "$plain" simplify - < "$scratch/map"
expect 0 "$plain" simplify < "$scratch/map"
expect 0 "{\"map\":\"$plain\"}" simplify --json "$negated"
expect 2 "" simplify '(d0) -> (d1), domain: d0 in [0, 1]'
expect 2 "~column 10" simplify '(d0) -> (d1), domain: d0 in [0, 1]'
expect 2 "~cannot read the file" simplify "@$scratch/none"
expect 2 "$plain"$'\n\n\nKNOWN EMPTY' simplify --lines < "$scratch/lines"
expect 2 "~line 3: column 1" simplify --lines < "$scratch/lines"
expect 2 "~expected no MAP with --lines" simplify --lines "$negated"
expect 0 "~by pull-multiple(x = -d0, y = d0, c = 2)" simplify --trace "$negated"
expect 2 "~expected one of --lines" simplify --trace --lines "$negated"
"$program" simplify --trace "$negated" > "$scratch/trace"
expect 0 "~accepted: " simplify --check "@$scratch/trace"
[[ $(tail -n 1 "$scratch/trace") == "$plain" ]] || { echo "FAILED: the map is not the last line of the trace"; failed=1; }
sed -i 's/pull-multiple(x = -d0/pull-multiple(x = d0/' "$scratch/trace"
expect 1 "~rejected: line " simplify --check "@$scratch/trace"

expect 0 "~equal: " equiv "$negated" "$plain"
expect 1 "~different at d0 = 127: (1) and outside" equiv "$plain" "$shorter"
expect 1 '{"at":{"dims":[127],"ranges":[],"runtime":[]},"by":"enumerated","equal":false,"left":[1],"right":null}' \
  equiv --json "$plain" "$shorter"
expect 0 "~equal: " equiv "#xla.indexing_map<\"$negated\">" "@$scratch/map"
expect 0 "~equal: " equiv 'affine_map<(d0) -> (d0 * 2)>' 'affine_map<(d0) -> (d0 + d0)>'
expect 2 "~RIGHT: column" equiv "$plain" '(d0) -> '
expect 2 "~expected the same number of dimension variables, found 1 and 2" equiv "$plain" 'f32[3,5]'
expect 2 "" equiv "$plain" '() -> (1)'
printf 'ENTRY e {\n x = f32[9,8] parameter(0)\n ROOT r = f32[9,8] negate(x)\n}\n' > "$scratch/left.hlo"
printf 'ENTRY f {\n y = f32[9,8] parameter(0)\n t = f32[8,9] transpose(y), dimensions={1,0}\n
 ROOT r = f32[9,8] transpose(t), dimensions={1,0}\n}\n' > "$scratch/same.hlo"
printf 'ENTRY e {\n x = f32[9,8] parameter(0)\n ROOT r = f32[9,8] reverse(x), dimensions={0}\n}\n' > "$scratch/other.hlo"
printf 'ENTRY e {\n x = f32[9,8] parameter(0)\n ROOT r = f32[9,8] custom-call(x)\n}\n' > "$scratch/opaque.hlo"
expect 0 "~result 0: reads the same elements" equiv --reads "$scratch/left.hlo" "$scratch/same.hlo"
expect 0 "~Not compared: the arithmetic" equiv --reads "$scratch/left.hlo" "@$scratch/same.hlo"
expect 0 '{"equal":true,"results":[{"equal":true,"result":0}]}' equiv --reads --json "$scratch/same.hlo" "$scratch/left.hlo"
expect 0 "~and the layouts of parameters and results." equiv --reads "$scratch/left.hlo" "$scratch/same.hlo"
expect 1 "~result 0: different: result[0,0] reads x[0,0] in LEFT, not in RIGHT; RIGHT reads x[8,0]" equiv --reads "$scratch/left.hlo" "$scratch/other.hlo"
expect 1 "~result 0: different at [0, 0]: LEFT gives" equiv "$scratch/left.hlo" "$scratch/same.hlo"
expect 3 "~result 0: undecided: LEFT r at (0, 0), RIGHT r at (0, 0): at [0, 0] LEFT is" equiv "$scratch/left.hlo" "$scratch/opaque.hlo"
expect 1 "~result 0: different at" equiv "$scratch/left.hlo" "$scratch/other.hlo" --report "sarif:$scratch/equiv.sarif"
grep -q '"uri":"'"$scratch/other.hlo"'"' "$scratch/equiv.sarif" || { echo "FAILED: no place in the report: $(cat "$scratch/equiv.sarif")"; failed=1; }
expect 2 "~--report: expected sarif:FILE" equiv "$scratch/left.hlo" "$scratch/other.hlo" --report junit:x
expect 1 "~  LEFT   r[0, 0] = " equiv "$scratch/left.hlo" "$scratch/other.hlo"
mkdir "$scratch/dump"
dumped() { printf 'ENTRY e {\n p = f32[4] parameter(0)\n %s\n ROOT r = f32[4] copy(q)\n}\n' "$2" > "$scratch/dump/module_0001.jit_f.$1.txt"; }
dumped before_optimizations 'q = f32[4] add(p, p)'
dumped 0000.simplification.after_algsimp.before_dce 'c = f32[] constant(2)  b = f32[4] broadcast(c), dimensions={}  q = f32[4] multiply(b, p)'
dumped 0001.simplification.after_dce 'q = f32[4] multiply(p, p)'
dumped cpu_after_optimizations 'q = f32[4] negate(p)'
echo "not a module" > "$scratch/dump/module_0001.jit_f.cpu_after_optimizations-memory-usage-report.txt"
expect 1 "~  0000 simplification after_algsimp: equal" equiv --passes "$scratch/dump"
expect 1 "~  0001 simplification after_dce: different" equiv --passes "$scratch/dump"
expect 1 "~  the first that differs: $scratch/dump/module_0001.jit_f.0000.simplification.after_algsimp.before_dce.txt and" equiv --passes "$scratch/dump"
expect 1 '~{"equal":false,"modules":[{"equal":false,"module":"module_0001.jit_f","passes":[{"equal":true,' equiv --passes "$scratch/dump" --json
dumped 0001.simplification.after_dce 'q = f32[4] add(p, p)'
dumped cpu_after_optimizations 'q = f32[4] add(p, p)'
expect 0 "~  cpu_after_optimizations: equal" equiv --passes "$scratch/dump"
expect 2 "~--passes: expected no LEFT beside a folder" equiv "$scratch/left.hlo" --passes "$scratch/dump"
expect 2 "~expected two files or more of one module" equiv --passes "$scratch/dump/.."
expect 2 "~no_such_folder: No such file or directory" equiv --passes "$scratch/no_such_folder"
for order in 0,1 1,0; do
  printf 'HloModule m, is_scheduled=true\nENTRY e {\n x = f32[9,8] parameter(0)\n ROOT r = f32[9,8]{%s} copy(x)\n}\n' "$order" > "$scratch/order$order.hlo"
done
expect 1 "~different layout of result 0: {0,1} in LEFT, {1,0} in RIGHT" equiv "$scratch/order0,1.hlo" "$scratch/order1,0.hlo"
expect 1 '{"equal":false,"layouts":[{"leaf":[0],"left":"{0,1}","right":"{1,0}"}],"results":[{"equal":true,"laws":[],"leaf":[0],"verdict":"equal"}]}' \
  equiv --json "$scratch/order0,1.hlo" "$scratch/order1,0.hlo"
expect 0 "result 0: equal" equiv --ignore-layouts "$scratch/order0,1.hlo" "$scratch/order1,0.hlo"
sed -i 's/, is_scheduled=true//' "$scratch/order0,1.hlo"
expect 0 "~note: layout of result 0: {0,1} in LEFT, {1,0} in RIGHT; not compared, as both are not compiled" equiv "$scratch/order0,1.hlo" "$scratch/order1,0.hlo"
expect 3 "~result 0: undecided: RIGHT: custom-call: opaque" equiv --reads "$scratch/left.hlo" "$scratch/opaque.hlo"
expect 2 "~RIGHT: expected a map of 2 dimensions with 2 results, as the result and the operand have, found 1 and 1" equiv "$scratch/left.hlo" "$plain"
expect 2 "~LEFT: expected a module or a map, as RIGHT is a module, found a layout" equiv 'f32[4]' "$scratch/left.hlo"
expect 0 "~equal: " equiv 'f32[128,128]{1,0:T(8,128)}' 'f32[128,128]{1,0}'
expect 1 "~different: at index [1,0]: offsets 2 and 5" equiv 'f32[3,5]{1,0:T(2,2)}' 'f32[3,5]{1,0}'
expect 1 '{"at":[1,0],"difference":"at index [1,0]: offsets 128 and 256","equal":false,"left":128,"notes":[],"right":256}' \
  equiv --json 'f32[128,256]{1,0:T(8,128)}' 'f32[128,256]{1,0}'
large='domain: d0 in [0, 999999999]'
expect 0 "~(normal form; simplification logged and checked)" equiv "(d0) -> ((-d0) mod 2), $large" "(d0) -> (d0 mod 2), $large"
expect 0 '{"by":"normal form","equal":true}' equiv --json "(d0) -> ((-d0) mod 2), $large" "(d0) -> (d0 mod 2), $large"
expect 0 "~(cases)" equiv "(d0) -> ((d0 * d0) mod 2), $large" "(d0) -> (d0 mod 2), $large"

printf '%s\n' 'f32[3,5]{1,0:T(2,2)}' '# none' 'no layout' 'f32[3,' > "$scratch/shapes"
expect 2 "~not a layout           line 3: no layout" prove "@$scratch/shapes"
expect 2 "~prove: 2 of 3 lines are not layouts" prove "@$scratch/shapes"
expect 2 '~{"detail":"' prove --json "@$scratch/shapes"
for _ in {1..25}; do echo 'no layout'; done >> "$scratch/shapes"
"$program" prove --json "@$scratch/shapes" > "$scratch/proofs" 2> "$scratch/err"
[[ $? == 2 && $(grep -c '^{.*}$' "$scratch/proofs") == 28 && $(wc -l < "$scratch/proofs") == 28 ]] ||
  { echo "FAILED: expected 27 lines that are not layouts and a summary, in JSON: $(cat "$scratch/proofs")"; failed=1; }
expect 2 "~cannot read the file" prove 'f32[3,5]' "@$scratch/none"
expect 2 "~LEFT" equiv '(f32[3], f32[3])' '(f32[3], f32[3])'

expect 0 "~20 cases: 20 pass" conform --suite map --count 20 -- "$program" respond
expect 0 "~80 cases: 80 pass" conform --suite hlo --count 80 -- "$program" respond
"$program" generate --suite hlo --count 3 > "$scratch/requests"
"$program" respond < "$scratch/requests" > "$scratch/answers"
expect 0 "~3 cases: 3 pass" judge --requests "$scratch/requests" --answers "$scratch/answers"
sed -i 's/-> (d0, d1), domain/-> (d1, d0), domain/' "$scratch/answers"
expect 1 "~found {" judge --requests "$scratch/requests" --answers "$scratch/answers"
expect 2 "~nothing was checked" conform --suite simplify --count 14 -- "$program" respond --engine spec
expect 2 "~no suite" generate --suite maps
expect 0 "~json-schema.org" generate --schema
expect 0 "~1 known-wrong implementations: 1 caught" zoo OPEN-21
expect 0 "~not implemented: a map has no minimum" zoo --table
expect 2 "~no entry" zoo NONE-1
expect 2 "~has no implementation" zoo HAL-03

broadcast='b = f32[2,3] broadcast(f32[3] x), dimensions={1}'
listing='2 instructions: 1 mapped, 0 supersets, 1 no data flow, 0 not analyzed

x = f32[3] parameter(0)
  no data flow
ROOT b = f32[2,3] broadcast(x)
  operand 0, x: (d0, d1) -> (d1), domain: d0 in [0, 1], d1 in [0, 2]'
cat > "$scratch/hlo" << 'END'
HloModule several

f {
  table = f32[9,8] parameter(0)
  rows = s32[4] parameter(1)
  ROOT g = f32[4,8] gather(table, rows), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,8}
}

ENTRY main {
  t = f32[9,8] parameter(0)
  r = s32[4] parameter(1)
  fused = f32[4,8] fusion(t, r), kind=kLoop, calls=f
  unknown = (f32[4,8], s32[]) custom-call(fused, r), custom_call_target="x"
  part = f32[4,8] get-tuple-element(unknown), index=0
  ROOT out = (f32[4,8], f32[4,8]) tuple(part, fused)
}
END
printf '%s\n' 'HloModule a' 'ENTRY e { ROOT p = f32[2] parameter(0) }' '// -----' 'HloModule b' \
  'ENTRY e { q = f32[2,3] parameter(0) ROOT r = f32[7] reshape(q) }' > "$scratch/two"

expect 0 "$listing" map "$broadcast"
expect 0 "$listing" map - <<< "$broadcast"
expect 0 "~computation main, entry" map "$scratch/hlo"
expect 0 "~rt0 is element (d0) of rows" map "@$scratch/hlo" --instruction g
expect 0 "~rt0 is element (d0) of r"$'\n' map "$scratch/hlo" --instruction %fused
expect 0 "~1 instructions: 0 mapped, 1 superset" map "$scratch/hlo" --instruction unknown
expect 0 "~custom-call" map "$scratch/hlo" --instruction unknown
expect 0 "~  result 1, operand 1, fused: (d0, d1) -> (d0, d1), domain: d0 in [0, 3]" map "$scratch/hlo"
expect 0 "~operand 0, unknown#0: (d0, d1) -> (d0, d1)" map "$scratch/hlo" --instruction part
expect 0 '{"computation":"","instruction":"b","opcode":"broadcast","kind":"mapped","result":0,"lists":[{"operand":0,"leaf":0,"maps":[{"map":"(d0, d1) -> (d1), domain: d0 in [0, 1], d1 in [0, 2]","runtime":[]}]}]}
{"summary":{"instructions":1,"mapped":1,"conservative":0,"no data flow":0,"not analysed":0,"reasons":[]}}' \
  map --json --instruction b "$broadcast"
expect 0 '~"runtime":[{"instruction":"r","map":"(d0, d1) -> (d0), domain: d0 in [0, 3], d1 in [0, 7]"}]}' map --json "$scratch/hlo"
expect 0 '~{"map":"(d0, d1) -> (d0), domain: d0 in [0, 3], d1 in [0, 7]","runtime":[]}' map --json "$scratch/hlo"
expect 2 "~3 instructions: 0 mapped, 0 supersets, 2 no data flow, 1 not analyzed" map "$scratch/two"
expect 2 "~1 of 3 instructions cannot be analyzed, such as r: " map "$scratch/two"
expect 0 "~  proven"$'\n'"  operand 0, x: (d0, d1) -> (d1)" map --verify "$broadcast"
expect 0 "~verified: 1 proven, 0 proven to be supersets, 0 refuted, 0 undecided" map --verify "$broadcast"
expect 0 "~  proven to be a superset" map --verify "$scratch/hlo" --instruction unknown
expect 0 '~"verdict":"proven","result":0' map --verify --json --instruction fused "$scratch/hlo"
expect 0 '~"verdicts":{"proven":4,"refuted":0,"undecided":0,"conservative":1,"no data flow":4,"refused":0}' map --verify --json "$scratch/hlo"
expect 2 "~1 of 3 instructions cannot be analyzed, such as r: " map --verify "$scratch/two"
expect 2 "~--timeout" map --verify --timeout 0 "$broadcast"
# A cache of proofs: the second run finds what the first proved; a damaged file is proven anew.
expect 0 "~verified: 4 proven, 1 proven to be supersets" map --verify --summary --cache "$scratch/cache" "$scratch/hlo"
kept=$(ls "$scratch/cache")
[[ -n $kept ]] || { echo "FAILED: map --cache kept nothing"; failed=1; }
expect 0 "~verified: 4 proven, 1 proven to be supersets" map --verify --summary --cache "$scratch/cache" "$scratch/hlo"
[[ $(ls "$scratch/cache") == "$kept" ]] || { echo "FAILED: map --cache asked other questions the second time"; failed=1; }
for file in "$scratch/cache"/*; do echo refuted > "$file"; done
expect 0 "~verified: 4 proven, 1 proven to be supersets" map --verify --summary --cache "$scratch/cache" "$scratch/hlo"
expect 2 "~cannot write into the folder" map --verify --cache /proc/none "$broadcast"
expect 0 "~proven" prove --cache "$scratch/cache2" 'f32[100,200]{1,0:T(8,128)}'
expect 0 "~proven" prove --cache "$scratch/cache2" 'f32[100,200]{1,0:T(8,128)}'
expect 2 "~no instruction 'c'" map --instruction c "$broadcast"
expect 2 "~no computation 'c'" map --computation c "$broadcast"
expect 2 "~no opcode 'add'" map --opcode add "$broadcast"
expect 0 "~1 instructions: 1 mapped" map --opcode gather "$scratch/hlo"
expect 0 "~3 instructions: 1 mapped" map --computation f "$scratch/hlo"
expect 0 "9 instructions: 4 mapped, 1 superset, 4 no data flow, 0 not analyzed
  superset: nothing is missing, some elements may be too many
  superset: custom-call \"x\": opaque: 1" map --summary "$scratch/hlo"
expect 0 "~verified: 4 proven, 1 proven to be supersets" map --summary --verify "$scratch/hlo"
expect 0 "~
unknown = (f32[4,8], s32[]) custom-call(fused, r)" map --kind conservative "$scratch/hlo"
expect 0 "9 instructions: 4 mapped, 1 superset, 4 no data flow, 0 not analyzed
  superset: nothing is missing, some elements may be too many
  superset: custom-call \"x\": opaque: 1

module several

verified: 4 proven, 1 proven to be supersets, 0 refuted, 0 undecided" map --kind refuted --verify "$scratch/hlo"
expect 2 "~expected --verify with --kind undecided" map --kind undecided "$broadcast"
expect 2 "~--kind" map --kind good "$broadcast"
expect 0 "~  .. 2 more lines" map --lines 2 --instruction fused "$scratch/hlo"
expect 2 "~--lines" map --lines 2 --json "$broadcast"
"$program" map --verify "$scratch/hlo" > "$scratch/one_job"
expect 0 "$(cat "$scratch/one_job")" map --verify --jobs 3 "$scratch/hlo"
expect 2 "~found gzip data" map - < <(gzip -c "$scratch/hlo")
expect 0 "~module jit_f" map - <<< 'module @jit_f { func.func public @main() { return } }'
expect 0 "~  operand 0, x, to result: (d0)[s0] -> (s0, d0), domain: d0 in [0, 2], s0 in [0, 1]" map --direction input_to_output "$broadcast"
expect 0 "~  operand 1, fused, to result 1: (d0, d1) -> (d0, d1)" map --direction input_to_output "$scratch/hlo"
expect 0 '~"operand":0,"leaf":0,"lists":[{"result":0,"maps":[{"map":"(d0)[s0] -> (s0, d0), domain: d0 in [0, 2], s0 in [0, 1]","runtime":[]}]}]}' \
  map --json --direction input_to_output "$broadcast"
expect 2 "~--direction" map --direction sideways "$broadcast"
expect 2 "~cannot read the file" map "$scratch/none"
expect 2 "~map: column 5: expected an opcode" map 'b = '
expect 2 "~map: line 2, column " map $'a = f32[] parameter(0)\nb = f32[] negate(c)'

nested='((4,2),(4,3)):((4,16),(1,32))'
table='      0   1   2
    +---+---+---+
 0  | 0 | 1 | 2 |
    +---+---+---+
 1  | 3 | 4 | 5 |
    +---+---+---+'
expect 0 "~$table" layout '(2,3):(3,1)'

# Layouts of threads.
mma='#ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}>'
linear='tensor<16x8xf32, #ttg.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [], block = []}>>'
twice='tensor<4x4xf32, #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [2, 2], warpsPerCTA = [1, 2], order = [1, 0]}>>'
expect 0 '[9,2]' layout "$mma" --register 2 --lane 5
expect 0 $'register 3, lane 2, warp 0, block 0\nregister 3, lane 2, warp 1, block 0' layout "$twice" --index 3,1
expect 0 '~"owners":[{"block":0,"lane":2,"register":3,"warp":0},' layout "$twice" --index 3,1 --json
expect 0 '~elements  each in 2 places: what register 0 of thread 0 holds is also at warp 1' layout "$twice"
expect 0 '~T0:0|T4:0' layout "$twice"
expect 0 '~T3:V1 +1</text>' layout "$twice" --svg -
expect 2 '~expected --index, --register' layout "$twice" --offset 3
expect 0 "$linear"$'\nequal: every place holds the same element' layout "tensor<16x8xf32, $mma>" --as ttg.linear
expect 0 $'tv:((4,8),(2,2)):((32,1),(16,8)):f32[16,8]\nequal: every place holds the same element' layout "$mma" --as cute
expect 1 'impossible in cute: the bases [0,1] of register 1 and [0,3] of register 2 meet in a bit, where strides would carry' \
  layout '#ttg.linear<{register = [[0, 1], [0, 3]], lane = [[1, 0]], warp = []}>' --as cute
expect 0 'equal: every place, (register, lane, warp, block), holds the same element' equiv "$mma" "$linear"
expect 1 '~different at register 0, lane 4, warp 0, block 0: LEFT holds [1,0], RIGHT [2,0]' equiv "$mma" "${linear/'[1, 0], [2, 0]'/[2, 0], [1, 0]}"
expect 1 'different: LEFT has 32 lanes, RIGHT has 16' equiv "$mma" "${linear/', [4, 0]]'/]}"
expect 2 '~the logical shapes differ: [16,8] and [4,4]' equiv "$mma" "$twice"
values='tv:((4,8),(2,2)):((32,1),(16,8)):f32[16,8]'
expect 0 'equal: every place, (register, lane, warp, block), holds the same element' equiv "$mma" "$values"
expect 1 '~different at register 1, lane 0, warp 0, block 0: LEFT holds [0,1], RIGHT [8,0]' equiv "$mma" 'tv:((4,8),(2,2)):((32,1),(8,16)):f32[16,8]'
tiled='TiledLayout(tiling=Tiling(tiles=((64, 8), (16, 8), (8, 8), (1, 2))), warp_dims=(-8,), lane_dims=(-4, -3), vector_dim=-1)'
expect 0 'equal: every place, (register, lane, warp, block), holds the same element' equiv "$tiled" '#ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 8, 16]}>'
expect 0 'equal: every place, (register, lane, warp, block), holds the same element' equiv 'tv:((3,4),2):((1,6),3):f32[6,4]' 'tv:((3,4),(2,1)):((1,6),(3,0)):f32[6,4]'
expect 1 '~impossible in ttg.linear: the layout is no linear map over bits' layout 'tv:((3,4),2):((1,6),3):f32[6,4]' --as ttg.linear
expect 0 $'register 0, lane 3, warp 0, block 0' layout 'tv:((3,4),2):((1,6),3):f32[6,4]' --index 0,1
expect 0 '~elements  each in 1 to 2 places' layout 'tv:(4,2):(1,2):f32[7]'
expect 0 '~(d0, d1) -> ((d0 floordiv 8) * 2 + d1 mod 2, (d0 mod 8) * 4 + d1 floordiv 2, 0, 0)' inverse "$mma"
expect 1 '~register = 0, lane = 0, warp = 1, block = 0 both give (0, 0)' check "$twice" --one-to-one
expect 2 '~the parameter tilesPerWarp is not supported' layout "${mma/instrShape/tilesPerWarp = [1, 1], instrShape}"
expect 2 '~expected a layout of threads with --register' layout 'f32[4]' --lane 0
swizzled='!ttg.memdesc<64x64xf16, #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>, #smem, mutable>'
expect 0 'equal: the same offset for every index' equiv "$swizzled" 'Sw<3,3,3> o 0 o (64,64):(64,1)'
expect 0 '~no conflicts' banks "$swizzled" --vector 16 --access 'tensor<64x64xf16, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [32, 1], warpsPerCTA = [2, 1], order = [1, 0]}>>'
expect 0 "~ 7  | 28 | 29 | 30 | 31 | 60 | 61 | 62 | 63 | 92 | 93 | 94 | 95 |" layout "$nested"
expect 0 "~offset               d0 * 4 + d1 mod 4 + (d1 floordiv 4) * 32" layout "$nested"
expect 0 37 layout "$nested" --index 1,5
expect 0 37 layout "$nested" --index '((1,0),(1,1))'
expect 0 37 layout "$nested" --index 41
expect 0 '((1,0),(1,1))' layout "$nested" --offset 37
expect 0 padding layout '(2,3):(8,1)' --offset 5
expect 0 1044 layout zN:f16[64,96] --index 1,20
expect 0 '[1,20]' layout zN:f16[64,96] --offset 1044
expect 0 padding layout zN:f16[64,95] --offset 5135

expect 0 $'~bf16[8,3,200]{2,1,0:T(4,128)(2,1)}\n  4x128: If' layout --format tpu 'bf16[8,3,200]{2,1,0}'
expect 0 "~(Tiled layout, Examples of tiling formats, 6)" layout --format tpu 'pred[9,9]'
expect 0 "~the document is silent on how small tiles" layout --format tpu 'bf16[8,3,200]'
expect 0 '~{"item":1,"name":"untiled"' layout --format untiled --json 'f32[3,5]'
expect 2 "~one of tpu, untiled, found gpu" layout --format gpu 'f32[3]'

equal='equal: the same offset for every index'
for left in 'f16[64,96]{0,1:T(16,16)(16,1)}' 'zN:f16[64,96]' '((16,4),(16,6)):((16,256),(1,1024))' 'dnnl:BA16a16b:f16[64,96]'; do
  for right in 'zN:f16[64,96]' '(64,(16,6)):(16,(1,1024))'; do expect 0 "$equal" equiv "$left" "$right"; done
done
expect 0 "$equal" equiv '((16,4),(16,6)):((16,256),(1,1024))' 'zN:f16[60,90]'
expect 2 "~the logical shapes differ: [64,96] and [48,96]" equiv '((16,4),(16,6)):((16,256),(1,1024))' 'zN:f16[48,96]'
expect 0 "$equal"$'\nnote: the allocations differ: 8 and 5 elements' equiv 'dnnl:A8a:f32[5]' 'f32[5]'
expect 1 "~different: at index [" equiv 'zN:f16[64,96]' 'nZ:f16[64,96]'
expect 1 "~different: the elements have 8 and 32 bits" equiv 'zN:s8[64,96]' 'f32[64,96]{0,1:T(32,16)(32,1)}'
expect 2 "~LEFT: column 7: expected c in upper case" equiv 'dnnl:nchw16c:f32[1,2,3,4]' 'f32[1,2,3,4]'
expect 2 "~expected the same number of dimension variables, found 2 and 1" equiv '(2,2):(2,1)' "$plain"
expect 0 $'f16[64,96]{0,1:T(16,16)(16,1)}\n'"$equal" layout 'zN:f16[64,96]' --as xla
expect 0 $'((16,4),(16,6)):((16,256),(1,1024))\n'"$equal" layout 'zN:f16[64,96]' --as cute
expect 0 $'zN:f16[64,96]\n'"$equal" layout 'f16[64,96]{0,1:T(16,16)(16,1)}' --as tla
expect 0 '{"equal":true,"layout":"dnnl:aBcd16b:f32[2,32,5,5]","notes":[]}' layout --json 'f32[2,32,5,5]{3,2,1,0:T(16,1,1)}' --as dnnl
expect 0 $'u8[3,5]{1,0:T(8)}\n'"$equal" layout '(3,5):(8,1)' --as xla --type u8
expect 1 "~impossible in cute: the offset is not a sum" layout 'f32[2,3]{1,0:T(*,2)(2,1)}' --as cute
expect 1 '{"layout":null,"possible":false,"reason":"the elements at [1,0] and [0,2] have the same offset, 2"}' layout --json '(2,4):(2,1)' --as xla
expect 3 "~no layout found in xla" layout '(2,2):(3,2)' --as xla
expect 2 "~expected xla, tla, cute, dnnl or mlir, found x" layout '(2,2):(3,2)' --as x
expect 2 "~--type" layout '(2,2):(3,2)' --as xla --type token
expect 2 "~excludes" layout 'f32[3]' --as cute --index 1
expect 2 "~requires" layout 'f32[3]' --type u8
expect 2 "~one of tpu, untiled, found" layout 'f32[3]' --format ''
expect 0 "~note: the allocations differ: 64 and 4 elements" layout 'f32[2,2]{1,0:T(8,8)(2,2)}' --as dnnl
expect 0 212 layout 'dnnl:nChw4c:f32[2,5,4,4]' --index 1,4,1,1
expect 0 $'~  [24]  combine all dimensions\n' layout 'f32[3,5]{1,0:T(2,2)}'
expect 0 $'~  [16]  combine all dimensions, pad the tail\n' layout 'f32[3,5]{1,0:L(8)}'

expect 0 '{"cosize":96,"depth":2,"formula":"d0 * 4 + d1 mod 4 + (d1 floordiv 4) * 32","index":[[1,0],[1,1]],"layout":"((4,2),(4,3)):((4,16),(1,32))","rank":2,"size":96}' \
  layout "$nested" --offset 37 --json
expect 0 17 layout 'f32[3,5]{1,0:T(2,2)}' --index 2,3
expect 2 "~--index: column 3: expected an integer" layout 'f32[3,5]{1,0:T(2,2)}' --index 2,x
expect 2 "~expected a coordinate of at least 0, found -3" layout "$nested" --index 0,-3
expect 2 "~layout: column 9: expected ',' and 2 strides" layout '(2,3):(1)'
expect 2 "~layout: column 1: expected a tag: RowMajor" layout 'zY:f16[4,4]'
expect 0 "~<svg" layout "$nested" --svg -
expect 2 "~expected offset, tile, line or bank, found 'red'" layout "$nested" --svg - --color red
expect 2 "~--path" layout "$nested" --path
expect 2 "~cannot write" layout "$nested" --svg /dev/null/picture

gather='g = f32[2,8] gather(f32[9,8] t, s32[2] r), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,8}'
slice='d = f32[4] dynamic-slice(f32[9] p, s32[] o), dynamic_slice_sizes={4}'
expect 0 "~  operand 0, t: 8 to 16 of 72 elements" utilization "$gather"
expect 0 "~3 instructions, 2 arrays read: 2 counted, 0 not counted" utilization "$gather"
expect 0 '{"computation":"","instruction":"g","read":[{"operand":0,"leaf":0,"elements":72,"least":8,"most":16},{"operand":1,"leaf":0,"elements":2,"least":2,"most":2}]}' \
  utilization --json "$gather"
expect 0 "~not counted: superset: custom-call" utilization "$scratch/hlo" --instruction unknown
expect 2 "~1 of 3 instructions cannot be analyzed, such as r: " utilization "$scratch/two"
expect 2 "~no instruction 'c'" utilization --instruction c "$gather"
expect 0 $'ROOT d = f32[4] dynamic-slice(p, o)\n  operand 0, p: 1 + clamp(o, 0, 5):2\n  operand 1, o: the scalar' tile "$slice" --tile 1:2
expect 0 "~no tile: not all combinations of its indices" tile 'r = f32[128] reshape(f32[16,8] p)' --tile 0:12
expect 0 '{"tile":[[16,16,1]],"instruction":"r"}' tile 'r = f32[128] reshape(f32[16,8] p)' --tile 2:2,0:8 --operand 0 --json
expect 2 "~tile: dimension 0: expected indices inside of [0, 3]" tile "$slice" --tile 1:4
expect 2 "~expected OFFSET:SIZE" tile "$slice" --tile 1
expect 2 "~--operand" tile "$slice" --tile 1:2 --operand 2
expect 2 "~no instruction 'e'" tile "$slice" --tile 1:2 --instruction e

expect 0 "~free: no element moves" equiv --reshape 'f32[16,128]{1,0:T(8,128)}' 'f32[2,8,128]{2,1,0:T(8,128)}'
expect 1 "~not free: element [1,0] becomes [1,0,0] and moves from offset 128 to 4096" \
  equiv --reshape 'f32[1024,4096]{1,0:T(8,128)}' 'f32[1024,32,128]{2,1,0:T(8,128)}'
expect 0 '~"free":true' equiv --json --transpose 1,0 'f32[4,8]{1,0}' 'f32[8,4]{0,1}'
expect 1 '~{"difference":"element [' equiv --json --transpose 1,0 'f32[4,8]{1,0}' 'f32[8,4]{1,0}'
expect 2 "~transpose: expected [8,4], found [4,8]" equiv --transpose 1,0 'f32[4,8]' 'f32[4,8]'
expect 2 "~reshape: expected as many elements" equiv --reshape 'f32[4,8]' 'f32[7]'
expect 1 "~where the operand has no element" equiv --bitcast 'f32[3,5]{1,0:T(2,2)}' 'f32[24]'
expect 2 "~expected one of --reshape" equiv --bitcast --reshape 'f32[24]' 'f32[24]'

transpose='t = f32[128,128] transpose(f32[128,128] p), dimensions={1,0}'
long_text="d = f32[4] dynamic-slice(f32[9] p, s32[] o), dynamic_slice_sizes={4}, metadata={op_name=\"$(printf 'x%.0s' {1..5000})\"}"
expect 0 "~operand 0, p: 1 + clamp(o, 0, 5):2" tile "$long_text" --tile 1:2
threads='(th_x, bl_x)[s0] -> (bl_x * 4 + s0, th_x), domain: th_x in [0, 127], bl_x in [0, 31], s0 in [0, 3]'
expect 0 $'ROOT t = f32[128,128] transpose(p)
  result: 512 accesses, 2048 transactions of 32 bytes, at most 4 an access; 100% of the bytes are used
  operand 0, p: 512 accesses, 16384 transactions of 32 bytes, at most 32 an access; 12% of the bytes are used' \
  coalescing "$transpose" --threads "$threads"
expect 0 '{"instruction":"t","warp":16,"width":128,"arrays":[{"array":"result","accesses":1024,"transactions":1024,"most":1,"elements":16384,"bits":32},{"array":"operand 0, p","accesses":1024,"transactions":16384,"most":16,"elements":16384,"bits":32}]}' \
  coalescing "$transpose" --threads "$threads" --json --warp 16 --width 128
expect 0 "~operand 0, p: not counted: it depends on the values of offsets" \
  coalescing "$slice" --threads '(th_x) -> (th_x), domain: th_x in [0, 3]'
expect 2 "~expected 2 results, found 1" coalescing "$transpose" --threads '(th_x) -> (th_x), domain: th_x in [0, 3]'
expect 2 "~expected th_x, th_y, th_z" coalescing "$transpose" --threads '(x) -> (x, x), domain: x in [0, 3]'
expect 2 "~--threads: column" coalescing "$transpose" --threads '(x) ->'
expect 2 "~--warp" coalescing "$transpose" --threads "$threads" --warp 0

# Bank conflicts: known answers of kernels.
rows_of_8='(lane) -> (lane, 0), domain: lane in [0, 7]'
expect 0 "~8-way conflict" banks 'f16[8,64]{1,0}' --vector 16 --access "$rows_of_8"
expect 1 "~lanes 0 and 4 need words 0 and 160 of bank 0" banks 'f16[8,80]{1,0}' --vector 16 --access "$rows_of_8" --max-ways 1
expect 0 "~no conflicts" banks 'f16[8,72]{1,0}' --vector 16 --access "$rows_of_8" --max-ways 1
expect 0 "~no conflicts" banks 'Sw<3,4,3> o smem_ptr[8b](unset) o (8,128):(128,1)' --access ldmatrix
expect 0 "~8-way conflict" banks '(8,128):(128,1)' --type s8 --access stmatrix
expect 0 "~2 of 1-way; cycles: 2, without conflicts 2" banks 'f64[32]' --access '(lane) -> (lane), domain: lane in [0, 31]'
expect 0 "~32-way conflict" banks '(32,32):(32,1)' --type f32 --access '(32,32):(1,32)'
expect 0 "~no conflicts" banks '(32,32):(1,32)' --type f32 --access vector
expect 0 "~8-way conflict" banks '(8,64):(64,1)' --type f16 --access '(8,(8,8)):(1,(8,64))' --vector 16
expect 2 "~expected --type" banks '(8,64):(64,1)' --access ldmatrix
expect 2 "~--type: the layout names" banks 'f16[8,64]' --type f16 --access ldmatrix
expect 0 'parts of [2,6] on 4 devices, each element is on 1 device
device 0  [0:2, 0:6]
device 1  [2:4, 0:6]
device 2  [4:5, 0:6]; the rest is padding
device 3  no element' layout 'f32[5,6]' --sharding '{devices=[4,1]<=[4]}'
expect 0 "~parts of [2,6] on 4 devices, each element is on 2 devices" layout 'f32[4,6]' --sharding '{devices=[2,1,2]<=[4] last_tile_dim_replicate}'
expect 0 "~device 2  [0:4, 3:6]" layout 'f32[8,6]' --sharding "{mesh['x'=2,'y'=2], [{'y'}, {'x'}]}"
expect 0 '{"copies":[1,1],"devices":[{"device":0,"slice":null},{"device":1,"slice":[[0,5]]}],"part":[5]}' layout 'f32[5]' --sharding '{maximal device=1}' --devices 2 --json
expect 2 "~expected --devices: the sharding does not say how many there are" layout 'f32[5]' --sharding '{replicated}'
expect 2 "~expected a sharding of 2 dimensions, found 1" layout 'f32[8,6]' --sharding '{devices=[2]<=[2]}'
expect 2 "~expected 1 to 65536 devices, found 100000" layout 'f32[5]' --sharding '{replicated}' --devices 100000
expect 2 "~expected numbers of parts from 1 on" layout 'f32[5]' --sharding '{devices=[9223372036854775807,9]<=[2]}'
expect 2 "~--index excludes --sharding" layout 'f32[5]' --sharding '{devices=[2]<=[2]}' --index 1
out='{"name": "out", "kind": "out", "shape": [8, 12], "block": [4, 4], "index_map": "(i, k) -> (i, k), domain: i in [0, 1], k in [0, 2]"}'
echo '{"grid": [2, 3], "semantics": ["parallel", "arbitrary"], "operands": ['"$out"']}' > "$scratch/grid.json"
expect 0 'inside: yes, 6 blocks, 0 of them partly padding
covered: yes
once: yes
races: none' grid "$scratch/grid.json"
sed 's/(i, k) -> (i, k)/(i, k) -> (i + 1, k)/' "$scratch/grid.json" > "$scratch/beyond.json"
expect 1 "~inside: step (1, 0): block (2, 0) of out has no element" grid "$scratch/beyond.json"
expect 1 "~covered: out[0, 0] is never written" grid "@$scratch/beyond.json"
sed 's/(i, k) -> (i, k)/(i, k) -> (i, 1)/; s/"arbitrary"/"parallel"/' "$scratch/grid.json" > "$scratch/race.json"
expect 1 "~races: step (0, 0) and step (0, 1) both touch out[0, 4], and may run at once" grid "$scratch/race.json"
expect 1 '~"races":{"at":[0,1],"before":[0,0],"element":[0,4],"holds":false,"operand":"out"' grid --json "$scratch/race.json"
sed 's/"block": \[4, 4\]/"block": [4]/' "$scratch/grid.json" > "$scratch/wrong.json"
expect 2 "~operand out: expected a block of 2 dimensions, found 1" grid "$scratch/wrong.json"
sed 's/"kind": "out"/"kind": "result"/' "$scratch/grid.json" > "$scratch/wrong.json"
expect 2 '~operands[0]: kind: expected "in" or "out"' grid "$scratch/wrong.json"
sed 's/"operands"/"operand"/' "$scratch/grid.json" > "$scratch/wrong.json"
expect 2 "~no key 'operand' is known" grid "$scratch/wrong.json"
expect 0 "~8-way" layout 'Sw<2,0,5> o 0 o (32,32):(32,1)' --svg - --color bank --type f32
expect 2 "~expected an element type, which lines and banks need (--type f32)" layout '(32,32):(32,1)' --svg - --color bank
expect 2 "~--type requires --as or --svg" layout '(32,32):(32,1)' --type f32
expect 2 "~--type: expected an element type, found f17" layout '(32,32):(32,1)' --svg - --color bank --type f17
expect 2 "~--type: expected an element type, found f17" banks '(8,64):(64,1)' --type f17 --access ldmatrix
expect 2 "~lane = 8 gives (8, 0), outside of the layout" banks 'f16[8,64]' --access '(lane) -> (lane, 0), domain: lane in [0, 8]'
expect 2 "~a multiple of 8 along dimension 0 for ldmatrix, found 7" banks 'f16[7,64]' --access ldmatrix
expect 2 "~rows or columns of 8 elements beside each other" banks 'f16[8,64]{1,0:T(2,2)}' --access ldmatrix
expect 2 "~--access: column" banks 'f16[8,64]' --access '(lane) ->'
expect 2 "no lane accesses the layout" banks 'f16[8,64]' --access '(lane) -> (lane, 0), domain: lane in [1, 0]'
expect 3 "~the access has many points" banks 'f16[8,64]' --access '(lane, k) -> (0, 0), domain: lane in [0, 31], k in [0, 1000000]'

# Facts of maps.
grid='(pid) -> ((pid floordiv 32) * 8 + pid mod 8, (pid mod 32) floordiv 8), domain: pid in [0, 35]'
expect 1 $'inside: no: pid = 33 gives (9, 0), outside dimension 0 of size 9; 3 of 36 points do\none-to-one: yes, 36 points\nonto: no: (8, 1) is never reached; 3 of 36 are\nwidth 32: yes, 36 points' \
  check "$grid" --inside 9,4 --one-to-one --onto 'f32[9,4]' --width 32
expect 0 'inside: yes, 36 points' check "$grid" --inside 0..15,0..3
expect 1 'inside: no: pid = 0 gives (0, 0), outside 1..8 of dimension 0; 7 of 36 points do' check "$grid" --inside 1..8,0..3
expect 1 '{"inside":{"against":3,"at":{"dims":[33],"ranges":[],"runtime":[]},"by":"points","holds":false,"of":36,"results":[9,0],"why":"pid = 33 gives (9, 0), outside dimension 0 of size 9; 3 of 36 points do"}}' \
  check "$grid" --inside 9,4 --json
expect 1 $'line 1: one-to-one: yes, 8 points\nline 3: one-to-one: no: d0 = 0 and d0 = 1 both give (0); 3 of 4 points meet an earlier one' \
  check $'8:1\n\n4:0' --lines --one-to-one
expect 1 "~width 8 unsigned: no: x - 5 at x = 4 is -1" check '(x) -> (x - 5), domain: x in [4, 9]' --width 8 --unsigned
expect 1 "~inside: no: d0 = 491, d1 = 9 gives (1000)" check '(991,10):(2,2)' --inside 's32[1000]'
expect 2 "~expected --inside, --one-to-one, --onto or --width" check "$grid"
expect 2 "~expected a map of 1 results, found 2" check "$grid" --inside 9
expect 2 "~--inside: expected LO..HI,LO..HI,.., found 0..x" check "$grid" --inside 0..x,0..3
expect 2 "~--onto: column 1: expected an element type, found 'x'" check "$grid" --onto x
expect 2 "~--unsigned" check "$grid" --one-to-one --unsigned
reassociated='(x) -> (x mod 8388608 + (x floordiv 8388608 - 32) * 67108864 + 33554432), domain: x in [268435456, 335544319]'
expect 0 "$reassociated" simplify --width 32 "$reassociated"
expect 1 "~(x) -> (x * 65536), domain" simplify --width 32 '(x) -> (x * 65536 + 0), domain: x in [0, 65535]'
expect 0 "(d0) -> (d0 mod 2), domain: d0 in [0, 127]" simplify --width 32 '(d0) -> ((-d0) mod 2), domain: d0 in [0, 127]'
expect 2 "~expected --width for one map" simplify --width 32 --trace "$grid"
expect 0 '~  operand 0, p: 0:8, 4:4' tile '(d0, d1) -> (d1, d0), domain: d0 in [0, 15], d1 in [0, 7]' --tile 4:4,0:8
expect 0 '~p: 10 of 19 elements' utilization '(d0) -> (d0 * 2), domain: d0 in [0, 9]'
expect 2 '~expected dimensions from 0 on, in place of a module' tile '(d0) -> (d0), domain: d0 in [1, 9]' --tile 0:1
strided='memref<2x1x8x32xf32, strided<[32, 512, 64, 1]>>'
expect 1 $'no view has strides; the first elements ask for (2,256):(32,1)\nnot free: element [0,0,1,0] becomes [0,32] and moves from offset 64 to 32' equiv --reshape "$strided" '[2,256]'
expect 0 $'view: (6,4):(8,2)\nfree: no element moves (all elements compared)' equiv --reshape 'f32[2,3,4] strides=(96,32,8)' '[6,4]'
expect 0 '~view: Sw<0,0,0> o 3 o (20):(8)' equiv --reshape 'memref<4x5xf32, strided<[40, 8], offset: 3>>' '[20]'
expect 2 '~RIGHT: expected sizes of 20 elements' equiv --reshape 'f32[4,5]' '[7]'
expect 0 "~tile.propagate: " conform --suite tile --count 100 -- "$program" respond
expect 0 '~(t)[n] -> offsets [t * n, 0] sizes [n, 3] strides [1, 1] upper bounds [8, 3], domain: t in [0, 2147483647], n in [1, 2147483647]' tile 't = f32[3,8] transpose(f32[8,3] p), dimensions={1,0}' --tile '(t)[n] -> offsets [0, t * n] sizes [3, n] strides [1, 1] upper bounds [3, 8]'
expect 2 '~expected 1 expressions, found 2' tile 'n = f32[8] negate(f32[8] p)' --tile '(t) -> offsets [t] sizes [4, 1] strides [1] upper bounds [8]'
expect 0 "~hlo.tile: " conform --suite uses --count 20 -- "$program" respond
expect 0 '((2,2),3):((24,2),8)' algebra composition '(6,2):(8,2)' '(4,3):(3,1)'
expect 0 '((2,2),3):((24,2),8)' algebra composition '(6,2):(8,2)' '(4,3):(3,1)' --engine spec
expect 2 "~composition: (5,4):(1,100) o 6:2: no layout has" algebra composition '(5,4):(1,100)' 6:2
expect 2 "~the sums of its integers carry" algebra composition '(4,2):(1,10)' '(2,2):(3,3)'
expect 0 12:1 algebra coalesce '(2,(1,6)):(1,(6,2))'
expect 0 '{"result":"(3,2):(2,12)"}' algebra complement '(2,2):(1,6)' 24 --json
expect 0 '((3,3),((2,4),(2,2))):((177,59),((13,2),(26,1)))' algebra logical_divide '(9,(4,8)):(59,(13,1))' '<3:3,(2,4):(1,8)>'
expect 0 '33 + ((4,2)):((4,16))' algebra slice "$nested" '(_,5)'
expect 0 144 algebra swizzle 'Sw<3,4,3>' 128
expect 0 "~composition-is-A-of-B" algebra laws
expect 2 "~expected 2 operands, found 1" algebra composition 4:1
expect 2 "~operand 2: column 1: expected an extent" algebra composition 4:1 x
expect 2 "~expected an operation: coalesce" algebra transpose 4:1
expect 2 "~operand 2: expected an integer" algebra complement 4:1 x
whole='{"shape": [4, 6], "devices": [{"device": 0, "slice": [[0, 2], [0, 6]]}, {"device": 1, "slice": [[2, 4], [0, 6]]}]}'
expect 0 'shards: yes, each of 24 elements is on 1 device' check --shards "$whole"
expect 1 'shards: no: [0:2, 0:6] is on devices 0, 1; nobody holds [2:4, 0:6]' check --shards "${whole/\[2, 4\]/[0, 2]}"
expect 1 'shards: no: [1:2, 0:6] is on devices 0, 1' check --shards "${whole/\[2, 4\]/[1, 4]}"
expect 1 'shards: no: nobody holds [2:3, 0:6]' check --shards "${whole/\[2, 4\]/[3, 4]}"
expect 1 'shards: no: [0:2, 0:6] is on device 0; [2:4, 0:6] is on device 1' check --shards "${whole/{/{\"copies\": 2, }"
expect 2 '~expected [low, high] inside of [0, 4], found [2,5]' check --shards "${whole/\[2, 4\]/[2, 5]}"
expect 2 '~expected each device once, found device 0 again' check --shards "${whole/device\": 1/device\": 0}"
expect 2 '~expected copies from 1 on, found 0' check --shards "${whole/{/{\"copies\": 0, }"
expect 2 '~expected a slice of 2 dimensions' check --shards "${whole/\[2, 4\], /}"
expect 2 '~expected an object with "shape"' check --shards '{"devices": []}'
expect 2 '~expected an array' check --shards '[]'

exit $failed

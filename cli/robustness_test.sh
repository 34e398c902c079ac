#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs every command on huge and deeply nested input, and on numbers at the limits. Each must end with a documented status
# and one line of error. By day each command gets one in four of them (`sample`). cli/robustness_test.sh PROGRAM
. "$(dirname "$0")/expect.sh"
number_of_case=0

# of_hlo STATUSES FILE: runs every command that reads HLO.
of_hlo() {
  expect "$1" "$program" map "$2"
  expect "$1" "$program" utilization "$2"
  expect "$1" "$program" waste "$2"
  expect "$1" "$program" tile "$2" --tile 0:1,0:1,0:1
  expect "$1" "$program" coalescing "$2" --threads "$threads"
}

# of_map STATUSES TEXT: runs every command that reads one map or layout, or two.
of_map() {
  local verb
  for verb in 'explain --index 0,0 --offset 0' 'evaluate --at 0' image inverse 'check --one-to-one --width 32'; do expect "$1" "$program" $verb "$2"; done
  expect "$1" "$program" banks "$2" --type f16 --access '(lane) -> (lane), domain: lane in [0, 7]'
  expect "$1" "$program" banks "$shape" --access "$2"
  for verb in diff compose; do
    expect "$1" "$program" $verb "$2" "$map"
    expect "$1" "$program" $verb "$shape" "$2"
  done
}

# of_lines STATUSES: runs every command that answers lines on the file $scratch/in.
of_lines() {
  expect "$1" "$program" respond < "$scratch/in"
  expect "$1" "$program" respond --engine spec < "$scratch/in"
  expect "$1" "$program" zoo --respond OPEN-21 < "$scratch/in"
}

# --- Lines of 2 MB, at night 100 MB: long valid prefixes, or one byte repeated ------------------------------------
for text in '(' '1' ' ' 'd0 + ' 'f32[1],' '{1,0:T(2)' '"' '/* ' 'a'; do
  sample $((number_of_case++)) 4
  { echo -n '(d0) -> ('; repeated "$text" $((long * million / ${#text})); } > "$scratch/in"
  expect 2 "$program" simplify "@$scratch/in"
  expect 2 "$program" simplify --keep tiles "@$scratch/in"
  expect 2 "$program" layout "@$scratch/in"
  of_map 2 "@$scratch/in"
done
sample off
{ echo -n 'c = f32[] constant('; repeated '1' $((long * million)); echo ')'; } > "$scratch/in"
of_hlo "0 2" "$scratch/in"
{ repeated '(' $((long * million)); } > "$scratch/in"
of_hlo 2 "$scratch/in"
expect 2 "$program" coalescing "$scratch/hlo" --threads "@$scratch/in"
expect 2 "$program" conform --suite layout --count 1 --expect "$scratch/in" -- "$program" respond
expect 2 "$program" judge --merge "$scratch/in"
for target in shape_text layout layout_convert nested algebra map_compose map_equal map_uses hlo_text hlo_index hlo_uses protocol; do
  expect "0 2" "$program" fuzz "$target" --show "$scratch/in"
done
{ repeated '[' $((long * million)); echo; echo "$request"; } > "$scratch/in"
expect 2 "$program" grid "@$scratch/in"
for size in 9223372036854775807 -9223372036854775808 9223372036854775808 0 4294967296; do
  echo "{\"grid\": [$size, $size], \"operands\": [{\"name\": \"y\", \"kind\": \"out\", \"shape\": [$size], \"block\": [{\"element\": $size, \"padding\": [$size, $size]}]," \
    "\"index_map\": \"(i, j) -> (i), domain: i in [0, 9223372036854775807], j in [0, 9223372036854775807]\"}]}" > "$scratch/grid"
  expect "0 1 2 3" "$program" grid "$scratch/grid"
done
of_lines 0
expect 0 "$program" respond < "$scratch/in"
[[ $(tail -n 1 "$scratch/out") == *'"result":13'* && $(wc -l < "$scratch/out") == 2 ]] ||
  { echo "FAILED: respond goes on after a long line: $(tail -c 300 "$scratch/out")"; failed=1; }
for flag in --requests --answers; do
  other=--requests
  [[ $flag == --requests ]] && other=--answers
  expect "1 2" "$program" judge $flag "$scratch/in" $other "$scratch/requests"
done
expect "1 2" "$program" simplify --check "@$scratch/in"
expect 2 "$program" equiv "@$scratch/in" "$map"
expect 2 "$program" prove "@$scratch/in"
for head in '(2,(3,' 'zN:f16[' 'Int<'; do
  for text in '1' '1,' '(1,' ')' ' '; do
    sample $((number_of_case++)) 4
    { echo -n "$head"; repeated "$text" $((long * million / ${#text})); } > "$scratch/in"
    expect 2 "$program" layout "@$scratch/in"
    expect 2 "$program" equiv "$nested" "@$scratch/in"
    expect 2 "$program" algebra composition "$nested" "@$scratch/in"
  done
done

# --- A million nested brackets --------------------------------------------------------------------------------------
for open in '(' '[' '{' '-(' '((4,' '/*' 'floordiv ('; do
  sample $((number_of_case++)) 4
  repeated "$open" $million > "$scratch/nest"
  { echo -n '(d0) -> ('; cat "$scratch/nest"; } > "$scratch/in"
  expect 2 "$program" simplify "@$scratch/in"
  expect 2 "$program" equiv "@$scratch/in" "$map"
  of_map 2 "@$scratch/in"
  { echo -n 'f32[2]{0:T'; cat "$scratch/nest"; } > "$scratch/in"
  expect 2 "$program" layout "@$scratch/in"
  expect 2 "$program" prove "@$scratch/in"
  cp "$scratch/nest" "$scratch/in"
  expect 2 "$program" layout "@$scratch/in"
  expect 2 "$program" equiv "@$scratch/in" "@$scratch/in"
  { echo -n 'r = f32[2] add('; cat "$scratch/nest"; } > "$scratch/in"
  of_hlo 2 "$scratch/in"
  { echo -n 'r = f32[2] negate(f32[2] p), a='; cat "$scratch/nest"; } > "$scratch/in"
  of_hlo 2 "$scratch/in"
  { echo -n '(th_x) -> ('; cat "$scratch/nest"; } > "$scratch/in"
  expect 2 "$program" coalescing "$scratch/hlo" --threads "@$scratch/in"
  expect 2 "$program" tile "$scratch/hlo" --tile "$(head -c 100000 "$scratch/nest")"
  cp "$scratch/nest" "$scratch/in"
  of_lines 0
  expect 2 "$program" judge --merge "$scratch/in"
done
for leaf in 4 '' '_4,4' 'zN:f16[4,4]'; do
  sample $((number_of_case++)) 4
  { repeated '(' $million; echo -n "$leaf"; repeated ')' $million; } > "$scratch/nest"
  { cat "$scratch/nest"; echo -n ':'; cat "$scratch/nest"; } > "$scratch/in"
  expect 2 "$program" layout "@$scratch/in"
  expect 2 "$program" equiv "@$scratch/in" "$nested"
  expect 2 "$program" algebra coalesce "@$scratch/in"
  expect 2 "$program" algebra logical_divide "$nested" "@$scratch/in"
  expect 2 "$program" algebra slice "$nested" "@$scratch/nest"
  expect 2 "$program" algebra laws "@$scratch/nest"
  { echo -n '4:'; cat "$scratch/nest"; } > "$scratch/in"
  expect 2 "$program" layout "@$scratch/in"
done
sample off
for member in '"layout": "' '"layout": "4:1", "coord": '; do
  { echo -n '{"op": "tla.offset", '"$member"; tr '()' '[]' < "$scratch/nest"; echo '}'; } > "$scratch/in"
  expect 0 "$program" respond < "$scratch/in"
done
{ echo -n 'r = '; repeated 'f32[2] negate(' $million; } > "$scratch/in"
of_hlo 2 "$scratch/in"

# --- Numbers at and beyond the limits -------------------------------------------------------------------------------
for number in 9223372036854775807 9223372036854775808 -9223372036854775808 -9223372036854775809 \
  18446744073709551616 99999999999999999999999999999999999999 1e3 0x10 4294967296; do
  sample $((number_of_case++)) 4
  echo "$number" > "$scratch/in"
  expect "0 2" "$program" layout "f32[$number]"
  expect "0 2" "$program" layout "f32[2]{0:T($number)}"
  expect "0 2" "$program" layout "f32[2]{0:L($number)}"
  expect "0 2" "$program" layout "f32[2]{0:E($number)}"
  expect "0 2" "$program" layout "f32[$number,$number]{1,0:T(8,128)}"
  expect "0 2" "$program" layout "$shape" --index "$number,0"
  expect "0 2" "$program" layout "$shape" "--offset=$number"
  expect "0 2" "$program" layout "(2,(3,$number)):(1,(2,6))"
  expect "0 2" "$program" layout "(2,(3,4)):($number,(2,$number))"
  expect "0 2" "$program" layout "(2,($number,$number)):(1,(2,6))" "--offset=$number"
  expect "0 2" "$program" layout "$nested" --index "($number,1)"
  expect "0 2" "$program" layout "_$number:Int<$number>"
  expect "0 1 2" "$program" equiv "(2,(3,$number)):(1,(2,6))" "$nested"
  for tag in RowMajor ColumnMajor zN nZ zZ nN L0C Weight4BitnZ; do
    expect "0 2" "$program" layout "$tag:f16[$number,96]"
    expect "0 2" "$program" layout "$tag:s4[$number,$number]" "--offset=$number"
  done
  expect "0 2" "$program" layout "VectorLayout:f16[$number]"
  expect "0 2" "$program" algebra laws "A = (2,$number):(1,2)  B = 4:$number  C = $number:0  m = 7  tiler = <$number:1>  slicer = $number  Sw<1,0,2>"
  expect "0 2" "$program" algebra laws "A = 4:1  B = ($number,$number):(0,0)  C = 2:1  m = $number  tiler = <2:$number>  slicer = _  Sw<1,$number,2>"
  for operation in coalesce right_inverse left_inverse flatten filter; do
    expect "0 2" "$program" algebra "$operation" "(2,(3,$number)):(1,(2,$number))"
    expect "0 2" "$program" algebra --engine spec "$operation" "(2,(3,$number)):(1,(2,$number))"
  done
  for operation in composition logical_product logical_divide zipped_divide tiled_divide complement slice; do
    for engine in impl spec; do
      expect "0 2" "$program" algebra --engine "$engine" "$operation" "$nested" "$number"
      expect "0 2" "$program" algebra --engine "$engine" "$operation" "(2,(3,$number)):(1,(2,6))" "$number:1"
      expect "0 2" "$program" algebra --engine "$engine" "$operation" "$nested" "(3,$number):($number,1)"
    done
  done
  expect "0 2" "$program" algebra swizzle "Swizzle<$number,4,$number>" "$number"
  expect "0 2" "$program" algebra swizzle "Swizzle<3,4,3>" "$number"
  expect "0 2" "$program" simplify "(d0) -> (d0 * $number), domain: d0 in [0, $number]"
  expect "0 2" "$program" simplify "(d0) -> (d0 floordiv $number), domain: d0 in [$number, $number]"
  expect "0 2" "$program" simplify --keep tiles "(d0) -> ((d0 floordiv $number) * $number + d0 * $number), domain: d0 in [$number, $number]"
  expect "0 2" "$program" simplify --keep "$number" "(d0) -> (d0 mod $number), domain: d0 in [0, $number]"
  for text in "(d0) -> (d0 * $number), domain: d0 in [0, $number]" "(d0)[s0] -> (d0 floordiv $number + s0), domain: d0 in [$number, $number], s0 in [0, $number]" \
    "f32[$number,3]{1,0:T(8,128)}" "(2,(3,$number)):($number,(2,6))" "zN:s4[$number,$number]" "dnnl:nChw16c:f32[2,$number,5,5]"; do
    of_map "0 1 2 3" "$text"
    expect "0 2" "$program" evaluate "$text" "--at=$number" "--at=$number,1" "--ranges=$number"
    expect "0 2" "$program" explain "$text" "--index=$number,1" "--offset=$number" "--bits=$number"
    expect "0 2 3" "$program" prove "$text"
  done
  expect "0 1 2 3" "$program" equiv "(d0) -> (d0 + $number), domain: d0 in [0, 9]" "(d0) -> (d0), domain: d0 in [0, 9]"
  for text in "r = f32[$number] broadcast(f32[] p), dimensions={}" "r = f32[$number,$number] negate(f32[$number,$number] p)" \
    "r = f32[2] slice(f32[9] p), slice={[$number:$number]}" "r = f32[9] pad(f32[2] p, f32[] c), padding=${number}_$number"; do
    of_hlo "0 2" "$text"
  done
  for tile in "$number:1" "0:$number" "0:2:$number" "$number:$number:$number"; do
    expect "0 2" "$program" tile 'r = f32[4,8] negate(f32[4,8] p)' --tile "0:1,$tile"
    expect "0 2" "$program" tile "r = f32[4294967296,4294967295] negate(f32[4294967296,4294967295] p)" --tile "$tile,$tile"
    expect "0 2" "$program" tile 'r = f32[4,8] negate(f32[4,8] p)' --operand 0 --tile "0:1,$tile"
  done
  for option in --output --operand; do expect "0 2" "$program" tile "$hlo" --tile 0:1,0:1,0:1 "$option" "$number"; done
  expect "0 2" "$program" coalescing "$hlo" --threads "(th_x) -> (th_x, th_x * $number, 0), domain: th_x in [0, 3]"
  expect "0 2" "$program" coalescing "$hlo" --threads "(th_x, bl_x) -> (th_x, bl_x, 0), domain: th_x in [0, $number], bl_x in [0, $number]"
  for option in --warp --width --output; do expect "0 2" "$program" coalescing "$hlo" --threads "$threads" "$option" "$number"; done
  for option in '' --reshape --bitcast '--transpose 1,0'; do
    expect "0 1 2 3" "$program" equiv $option "f32[$number,4]" "f32[4,$number]{0,1:T(2,$number)}"
  done
  expect "0 2" "$program" relayout "f32[$number,3]" "f32[$number,3]{0,1:T(8,128)}"
  expect "0 2" "$program" relayout "(3,$number):($number,1)" "(3,$number):(1,3)" "--bits=$number" "--threads=$number"
  expect "0 2 3" "$program" prove "f32[$number,3]{1,0:T(8,128)}"
  expect "0 1 2 3" "$program" layout --as cute "f32[$number,3]{1,0:T(8,128)}"
  expect "0 2" "$program" fuzz shape_text --show <(echo "f32[$number]")
  expect 2 "$program" fuzz shape_text --time "$number" --corpus /dev/null
  expect "0 2" "$program" zoo OPEN-21 "--seed=$number"
  expect 2 "$program" judge --requests <(echo "{\"id\": $number}") --answers /dev/null
  expect "0 2" "$program" generate --suite layout --count 1 "--seed=$number"
  expect "0 2" "$program" conform --suite layout --count 1 "--timeout=$number" -- "$program" respond
done

every_command_met
end

#!/bin/bash
# Input of any size and depth, numbers at the limits, little memory, readers that are gone, folders that cannot be
# written: every command ends with a documented status and one line of error. cli/robustness_test.sh PROGRAM
set -u
program=$1
scratch=$(mktemp -d)
trap 'chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT
failed=0 checked=0

# expect STATUSES COMMAND..: runs it on standard input; its status is one of them (documented ones alone), and where
# that is not 0 or 1, standard error is one line.
expect() {
  local statuses=$1 got lines
  shift
  timeout 900 "$@" > "$scratch/out" 2> "$scratch/err"
  got=$?
  lines=$(wc -l < "$scratch/err")
  [[ $lines == 0 && $got -lt 70 && -s $scratch/out ]] && lines=1  # a verdict, on standard output
  checked=$((checked + 1))
  if [[ " $statuses " != *" $got "* ]] || { [[ $got -ge 2 ]] && [[ $lines != 1 ]]; }; then
    echo "FAILED: $* | cut: $(head -c 200 "$scratch/in" 2> /dev/null)"
    echo "  expected a status of $statuses and one line, found $got and $lines lines: $(head -c 500 "$scratch/err")"
    failed=1
  fi
}

# repeated TEXT COUNT: the text, so many times.
repeated() { yes -- "$1" | tr -d '\n' | head -c $((${#1} * $2)); }

million=1000000
shape='f32[3,5]{1,0:T(2,2)}'
nested='(2,(3,4)):(1,(2,6))'
map='(d0) -> ((-d0) mod 2), domain: d0 in [0, 127]'
hlo='r = f32[2,4,4] reshape(f32[4,8] p)'
request='{"id": 7, "op": "layout.linearize", "shape": "f32[3,5]", "index": [2, 3]}'
printf '%s\n' "$hlo" > "$scratch/hlo"

# --- Lines of 100 MB: valid for long, or of one kind of byte ---------------------------------------------------------
for text in '(' '1' ' ' 'd0 + ' 'f32[1],' '{1,0:T(2)' '"' '/* ' 'a'; do
  { echo -n '(d0) -> ('; repeated "$text" $((100 * million / ${#text})); } > "$scratch/in"
  expect 2 "$program" simplify "@$scratch/in"
  expect 2 "$program" layout "@$scratch/in"
done
{ echo -n 'c = f32[] constant('; repeated '1' $((100 * million)); echo ')'; } > "$scratch/in"
expect "0 2" "$program" map "$scratch/in"
{ repeated '(' $((100 * million)); } > "$scratch/in"
expect 2 "$program" map "$scratch/in"
{ repeated '[' $((100 * million)); echo; echo "$request"; } > "$scratch/in"
expect 0 "$program" respond < "$scratch/in"
[[ $(tail -n 1 "$scratch/out") == *'"result":13'* && $(wc -l < "$scratch/out") == 2 ]] ||
  { echo "FAILED: respond goes on after a long line: $(tail -c 300 "$scratch/out")"; failed=1; }
for flag in --requests --answers; do
  "$program" generate --suite layout --count 2 > "$scratch/requests"
  other=--requests
  [[ $flag == --requests ]] && other=--answers
  expect "1 2" "$program" judge $flag "$scratch/in" $other "$scratch/requests"
done
expect "1 2" "$program" simplify --check "@$scratch/in"
expect 2 "$program" equiv "@$scratch/in" "$map"
expect 2 "$program" prove "@$scratch/in"
for head in '(2,(3,' 'zN:f16[' 'Int<'; do
  for text in '1' '1,' '(1,' ')' ' '; do
    { echo -n "$head"; repeated "$text" $((100 * million / ${#text})); } > "$scratch/in"
    expect 2 "$program" layout "@$scratch/in"
    expect 2 "$program" equiv "$nested" "@$scratch/in"
    expect 2 "$program" algebra composition "$nested" "@$scratch/in"
  done
done

# --- A million brackets in each other -------------------------------------------------------------------------------
for open in '(' '[' '{' '-(' '((4,' '/*' 'floordiv ('; do
  repeated "$open" $million > "$scratch/nest"
  { echo -n '(d0) -> ('; cat "$scratch/nest"; } > "$scratch/in"
  expect 2 "$program" simplify "@$scratch/in"
  expect 2 "$program" equiv "@$scratch/in" "$map"
  { echo -n 'f32[2]{0:T'; cat "$scratch/nest"; } > "$scratch/in"
  expect 2 "$program" layout "@$scratch/in"
  expect 2 "$program" prove "@$scratch/in"
  cp "$scratch/nest" "$scratch/in"
  expect 2 "$program" layout "@$scratch/in"
  expect 2 "$program" equiv "@$scratch/in" "@$scratch/in"
  { echo -n 'r = f32[2] add('; cat "$scratch/nest"; } > "$scratch/in"
  expect 2 "$program" map "$scratch/in"
  { echo -n 'r = f32[2] negate(f32[2] p), a='; cat "$scratch/nest"; } > "$scratch/in"
  expect 2 "$program" map "$scratch/in"
  cp "$scratch/nest" "$scratch/in"
  expect 0 "$program" respond < "$scratch/in"
done
for leaf in 4 '' '_4,4' 'zN:f16[4,4]'; do
  { repeated '(' $million; echo -n "$leaf"; repeated ')' $million; } > "$scratch/nest"
  { cat "$scratch/nest"; echo -n ':'; cat "$scratch/nest"; } > "$scratch/in"
  expect 2 "$program" layout "@$scratch/in"
  expect 2 "$program" equiv "@$scratch/in" "$nested"
  expect 2 "$program" algebra coalesce "@$scratch/in"
  expect 2 "$program" algebra logical_divide "$nested" "@$scratch/in"
  expect 2 "$program" algebra slice "$nested" "@$scratch/nest"
  { echo -n '4:'; cat "$scratch/nest"; } > "$scratch/in"
  expect 2 "$program" layout "@$scratch/in"
done
for member in '"layout": "' '"layout": "4:1", "coord": '; do
  { echo -n '{"op": "tla.offset", '"$member"; tr '()' '[]' < "$scratch/nest"; echo '}'; } > "$scratch/in"
  expect 0 "$program" respond < "$scratch/in"
done
{ echo -n 'r = '; repeated 'f32[2] negate(' $million; } > "$scratch/in"
expect 2 "$program" map "$scratch/in"

# --- Numbers at and beyond the limits -------------------------------------------------------------------------------
for number in 9223372036854775807 9223372036854775808 -9223372036854775808 -9223372036854775809 \
  18446744073709551616 99999999999999999999999999999999999999 1e3 0x10 4294967296; do
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
  for operation in coalesce right_inverse left_inverse; do
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
  expect "0 1 2 3" "$program" equiv "(d0) -> (d0 + $number), domain: d0 in [0, 9]" "(d0) -> (d0), domain: d0 in [0, 9]"
  expect "0 2" "$program" map <(echo "r = f32[$number] broadcast(f32[] p), dimensions={}")
  expect "0 2" "$program" map <(echo "r = f32[2] slice(f32[9] p), slice={[$number:$number]}")
  expect "0 2" "$program" generate --suite layout --count 1 "--seed=$number"
  expect "0 2" "$program" conform --suite layout --count 1 "--timeout=$number" -- "$program" respond
done

# --- Little memory --------------------------------------------------------------------------------------------------
with_memory() {
  local kilobytes=$1
  shift
  (ulimit -v "$kilobytes"; ulimit -c 0; exec "$@")
}
export -f with_memory
{ echo -n '(d0) -> ('; repeated 'd0 * 3 + ' $million; echo 'd0), domain: d0 in [0, 9]'; } > "$scratch/in"
{ for i in $(seq 20000); do echo "r$i = f32[4,8] negate(f32[4,8] p)"; done; } > "$scratch/module"
ones=$(repeated '1,' 63)1  # 64 times 64 tuples of 64: half a megabyte of a valid layout
for level in 1 2; do ones="($(repeated "($ones)," 63)($ones))"; done
echo "($ones):($ones)" > "$scratch/wide"
sizes=(60000 100000 200000)
if ! with_memory 200000 "$program" --version > /dev/null 2>&1; then
  echo "not under little memory: the program (with sanitizers?) does not start in 200 MB"
  sizes=()
fi
for kilobytes in "${sizes[@]}"; do
  run() { expect "0 1 2 3 70" bash -c 'with_memory "$@"' bash "$kilobytes" "$program" "$@"; }
  run simplify "@$scratch/in"
  run simplify --trace "@$scratch/in"
  run equiv "@$scratch/in" "@$scratch/in"
  run layout 'f32[16777216,128]{1,0:T(8,128)}'
  run layout "@$scratch/wide"
  run algebra left_inverse "@$scratch/wide"
  run equiv "@$scratch/wide" "@$scratch/wide"
  run layout "$shape" --svg "$scratch/picture.svg"
  run map "$scratch/module"
  run prove "$shape"
  run generate --suite hlo --count 50
  run conform --suite map --count 20 -- "$program" respond
  run judge --requests "$scratch/requests" --answers "$scratch/requests"
  run respond < "$scratch/requests"
done

# --- Nobody reads, nothing can be written, nothing can be read ------------------------------------------------------
for i in 1 2 3; do echo "$map"; done > "$scratch/maps"
writers=("layout $shape" "map $scratch/hlo" "prove --list" "generate --suite layout --count 3" "respond" "simplify --lines")
for words in "${writers[@]}"; do
  read -ra arguments <<< "$words"
  input=$scratch/requests
  [[ $words == simplify* ]] && input=$scratch/maps
  expect "70" bash -c '"$@" < "$0" > /dev/full' "$input" "$program" "${arguments[@]}"
  expect "70" bash -c '"$@" < "$0" >&-' "$input" "$program" "${arguments[@]}"
  expect "0 70" bash -c '"$@" < "$0" | true; exit "${PIPESTATUS[0]}"' "$input" "$program" "${arguments[@]}"
done
expect 70 bash -c '"$@" | head -n 1 > /dev/null; exit "${PIPESTATUS[0]}"' bash "$program" generate --suite layout --count 1000000
for words in "simplify" "simplify --lines" "layout -" "map -" "equiv - -" "respond" "judge --requests - --answers -" \
  "generate --suite layout --count 1" "conform --suite layout --count 3 -- $program respond" "prove $shape"; do
  read -ra arguments <<< "$words"
  expect "0 2" bash -c '"$@" <&-' bash "$program" "${arguments[@]}"
done
mkdir "$scratch/closed"
chmod 555 "$scratch/closed"
chmod 755 "$scratch"
as_user=()  # the super-user may write anywhere
[[ $(id -u) == 0 ]] && as_user=(setpriv --reuid 65534 --regid 65534 --clear-groups)
if "${as_user[@]}" "$program" --version > /dev/null 2>&1; then
  expect 2 "${as_user[@]}" "$program" layout "$shape" --svg "$scratch/closed/picture.svg"
  expect 2 "${as_user[@]}" "$program" prove "$shape" --smtlib "$scratch/closed/questions"
  expect 2 "${as_user[@]}" "$program" equiv "$map" '(d0) -> (d0 mod 2), domain: d0 in [0, 127]' --smtlib "$scratch/closed/questions"
  expect 2 "${as_user[@]}" "$program" conform --suite layout --count 3 --report "junit:$scratch/closed/report.xml" -- "$program" respond
  expect 2 "${as_user[@]}" "$program" fuzz layout --time 1 --corpus "$scratch/closed/corpus"
else
  echo "not with a folder that cannot be written: another user may not run the program"
fi
for file in "$scratch/none" "$scratch" "$scratch/hlo/none"; do
  expect 2 "$program" simplify "@$file"
  expect 2 "$program" map "$file"
  expect 2 "$program" judge --requests "$file" --answers "$file"
  expect 2 "$program" conform --suite layout --count 1 --expect "$file" -- "$program" respond
  expect 2 "$program" conform --suite layout --count 1 -- "$file"
done

echo "$checked calls"
exit $failed

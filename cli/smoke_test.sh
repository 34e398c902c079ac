#!/bin/bash
# The commands about maps, from outside: exit status and output. cli/smoke_test.sh PROGRAM
set -u
program=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

# expect STATUS OUTPUT ARGUMENT..: runs the program on standard input; OUTPUT is all of standard output,
# or with a leading ~ a part of what it prints on either.
expect() {
  local status=$1 output=$2 got
  shift 2
  "$program" "$@" > "$scratch/out" 2> "$scratch/err"
  got=$?
  if [[ $output == "~"* ]]; then
    [[ $(cat "$scratch/out" "$scratch/err") == *"${output#\~}"* ]]
  else
    [[ $(cat "$scratch/out") == "$output" ]]
  fi
  if [[ $? != 0 || $got != "$status" ]]; then
    echo "FAILED: tileproof $*"
    echo "  expected status $status and: $output"
    echo "  found status $got and: $(cat "$scratch/out" "$scratch/err")"
    failed=1
  fi
}

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
expect 1 "different at d0 = 127: (1) and outside" equiv "$plain" "$shorter"
expect 1 '{"at":{"dims":[127],"ranges":[],"runtime":[]},"by":"enumerated","equal":false,"left":[1],"right":null}' \
  equiv --json "$plain" "$shorter"
expect 0 "~equal: " equiv "#xla.indexing_map<\"$negated\">" "@$scratch/map"
expect 0 "~equal: " equiv 'affine_map<(d0) -> (d0 * 2)>' 'affine_map<(d0) -> (d0 + d0)>'
expect 2 "~RIGHT: column" equiv "$plain" '(d0) -> '
expect 2 "~a map and a shape" equiv "$plain" 'f32[3,5]'
expect 2 "" equiv "$plain" '() -> (1)'
expect 0 "~equal: " equiv 'f32[128,128]{1,0:T(8,128)}' 'f32[128,128]{1,0}'
expect 1 "~different: " equiv 'f32[3,5]{1,0:T(2,2)}' 'f32[3,5]{1,0}'
expect 2 "~LEFT" equiv '(f32[3], f32[3])' '(f32[3], f32[3])'

expect 0 "~20 cases: 20 pass" conform --suite map --count 20 -- "$program" respond
expect 2 "~nothing was checked" conform --suite simplify --count 14 -- "$program" respond --engine spec
expect 2 "~no suite" generate --suite maps
exit $failed

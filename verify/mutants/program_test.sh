#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests try_mutants.py with the mutants of impl/ on a list, and that it prints and keeps its results when it is stopped.
#   program_test.sh MUTANTS FOLDER     FOLDER: corpus/mutants
set -euo pipefail
mutants=("$(dirname "$0")/try_mutants.py" "$1")
lists=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0
wrong() {
  echo "FAILED: $*"
  sed 's/^/  /' "$scratch/out" "$scratch/err"
  failed=1
}
# run STATUS ARGUMENT..
run() {
  local status=0 expected=$1
  shift
  "${mutants[@]}" "$@" > "$scratch/out" 2> "$scratch/err" || status=$?
  [ "$status" = "$expected" ] || wrong "expected status $expected, found $status: mutants $*"
}
expect() { grep -qE -- "$1" "$scratch/out" "$scratch/err" || wrong "expected '$1'"; }

# Five mutants are killed at once. The sixth is equivalent, so it would get random cases for a thousand seconds.
grep '^impl/layout/digits.cc' "$lists/sample.txt" | grep -v 'quotient = ' | head -n 5 > "$scratch/killable"
grep '^impl/layout/digits.cc' "$lists/equivalent.txt" | head -n 1 > "$scratch/equivalent"
cat "$scratch/killable" "$scratch/equivalent" > "$scratch/all"
checks=(--checks layout --jobs 2)

run 0 "${checks[@]}" --list "$scratch/killable"
expect '^total +5 '
run 2 "${checks[@]}" --list "$scratch/none"
expect '/none: expected a list of mutants, cannot read the file$'
run 2 "${checks[@]}" --percent 0
echo 'impl/layout/digits.cc: `none` 0 is 1' >> "$scratch/killable"
run 2 "${checks[@]}" --list "$scratch/killable"
expect '/killable:6: not a mutant of this build: impl/layout/digits.cc: `none` 0 is 1'
run 2 "${checks[@]}" --name 'impl/layout/digits.cc: `none` 0 is 1'
run 2 "${checks[@]}" --file impl/none.cc
run 0 --checks layout --list "$scratch/equivalent" --reach
expect '^total +1 of +1 '
run 0 --check-lists --of-each-file 2 --list "$lists/sample.txt" --equivalent "$lists/equivalent.txt" --open "$lists/open.txt"

run 3 "${checks[@]}" --seconds 1000 --list "$scratch/all" --time 1
expect '^total '
expect '^[1-6] mutants not tried in time$'

# Send a signal once the record has the results of the others.
"${mutants[@]}" "${checks[@]}" --seconds 1000 --list "$scratch/all" --record "$scratch/record" > "$scratch/out" 2> "$scratch/err" &
until [ "$(grep -c 'impl/layout/digits.cc' "$scratch/record" 2> "$scratch/ignored")" = 5 ] || ! kill -0 $! 2> "$scratch/ignored"; do sleep 0.1; done
kill -TERM $! || true
status=0
wait $! || status=$?
[ "$status" = 3 ] || wrong "expected status 3 after a signal, found $status"
expect '^total +5 '
expect '^1 mutants not tried in time$'

# Mutants with a result are not tried again, unless the checks changed.
run 3 "${checks[@]}" --seconds 1000 --list "$scratch/all" --record "$scratch/record" --time 1
expect '^1 mutants to try$'
sed -i '1s/.*/# checks 0/' "$scratch/record"
run 3 "${checks[@]}" --seconds 1000 --list "$scratch/all" --record "$scratch/record" --time 1
expect 'record: the checks changed, starting with no results$'
expect '^6 mutants to try$'

# A survivor fails the run unless the list of open mutants names it.
{ cat "$scratch/equivalent"; echo '  why'; } > "$scratch/open"
run 0 "${checks[@]}" --seconds 0 --list "$scratch/all" --open "$scratch/open"
expect '^open: survived '
run 1 "${checks[@]}" --seconds 0 --list "$scratch/all"
expect '^survived '

# --recheck tries the mutants listed as equivalent, and fails if one is killed.
run 0 "${checks[@]}" --seconds 0 --equivalent "$scratch/open" --recheck
expect '^total +1 '
{ head -n 1 "$scratch/all"; echo '  why'; } >> "$scratch/open"
run 0 "${checks[@]}" --seconds 0 --list "$scratch/all" --equivalent "$scratch/open"
run 1 "${checks[@]}" --seconds 0 --equivalent "$scratch/open" --recheck
expect '^equivalent, but (killed|crashed|hung)'
exit $failed

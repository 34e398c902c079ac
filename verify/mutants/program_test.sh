#!/usr/bin/env bash
# The program on a list, and when it is stopped: what was tried is told and kept.
#   program_test.sh MUTANTS FOLDER     FOLDER: corpus/mutants
set -euo pipefail
mutants=$1
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
  "$mutants" "$@" > "$scratch/out" 2> "$scratch/err" || status=$?
  [ "$status" = "$expected" ] || wrong "expected status $expected, found $status: mutants $*"
}
told() { grep -qE -- "$1" "$scratch/out" "$scratch/err" || wrong "expected '$1'"; }

# Some are noticed at once; one changes nothing, so it would be given random cases for a thousand seconds.
grep '^impl/layout/digits.cc' "$lists/sample.txt" | head -n 5 > "$scratch/noticed"
grep '^impl/layout/digits.cc' "$lists/equivalent.txt" | head -n 1 > "$scratch/equivalent"
cat "$scratch/noticed" "$scratch/equivalent" > "$scratch/all"
checks=(--checks layout --jobs 2)

run 0 "${checks[@]}" --list "$scratch/noticed"
told '^in all +5 '
run 2 "${checks[@]}" --list "$scratch/none"
told '/none: expected a list of faults, cannot be read$'
run 2 "${checks[@]}" --percent 0
echo 'impl/layout/digits.cc: `none` 0 is 1' >> "$scratch/noticed"
run 2 "${checks[@]}" --list "$scratch/noticed"
told '/noticed:6: no fault any more: impl/layout/digits.cc: `none` 0 is 1'
run 2 "${checks[@]}" --name 'impl/layout/digits.cc: `none` 0 is 1'
run 2 "${checks[@]}" --file impl/none.cc
run 0 --checks layout --list "$scratch/equivalent" --reach
told '^in all +1 of +1 '
run 0 --check-lists --list "$lists/sample.txt" --equivalent "$lists/equivalent.txt" --open "$lists/open.txt"

run 3 "${checks[@]}" --seconds 1000 --list "$scratch/all" --time 1
told '^in all '
told '^[1-6] faults not tried in time$'

# A signal, once the others are on record.
"$mutants" "${checks[@]}" --seconds 1000 --list "$scratch/all" --record "$scratch/record" > "$scratch/out" 2> "$scratch/err" &
until [ "$(grep -c 'impl/layout/digits.cc' "$scratch/record" 2> "$scratch/ignored")" = 5 ] || ! kill -0 $! 2> "$scratch/ignored"; do sleep 0.1; done
kill -TERM $! || true
status=0
wait $! || status=$?
[ "$status" = 3 ] || wrong "expected status 3 after a signal, found $status"
told '^in all +5 '
told '^1 faults not tried in time$'

# Those on record are not tried again: until the checks are others.
run 3 "${checks[@]}" --seconds 1000 --list "$scratch/all" --record "$scratch/record" --time 1
told '^1 faults to try$'
sed -i '1s/.*/# checks 0/' "$scratch/record"
run 3 "${checks[@]}" --seconds 1000 --list "$scratch/all" --record "$scratch/record" --time 1
told 'record: of other checks, begins anew$'
told '^6 faults to try$'

# A survivor that is open does not fail; one that is not does.
{ cat "$scratch/equivalent"; echo '  why'; } > "$scratch/open"
run 0 "${checks[@]}" --seconds 0 --list "$scratch/all" --open "$scratch/open"
told '^open: survived '
run 1 "${checks[@]}" --seconds 0 --list "$scratch/all"
told '^survived '

# What is taken for equivalent is tried where that is asked, and fails where it is noticed.
run 0 "${checks[@]}" --seconds 0 --equivalent "$scratch/open" --doubt
told '^in all +1 '
{ head -n 1 "$scratch/all"; echo '  why'; } >> "$scratch/open"
run 0 "${checks[@]}" --seconds 0 --list "$scratch/all" --equivalent "$scratch/open"
run 1 "${checks[@]}" --seconds 0 --equivalent "$scratch/open" --doubt
told '^equivalent, but (caught|crashed|hung)'
exit $failed

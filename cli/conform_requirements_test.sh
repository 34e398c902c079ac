#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What `conform` requires only if it is asked to: a share of answered requests, exact lists, numbers with leading zeros.
# cli/conform_requirements_test.sh PROGRAM MISBEHAVE
set -u
program=$1 misbehave=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
source "$(dirname "$0")/expect_output.sh"

# respond with each request changed by a function, or with no answer to it.
cat > "$scratch/between.sh" << 'END'
coproc right { "$1" respond; }
while read -r line; do
  id=${line#*'"id":'}
  case $2 in
    # No answers about layout.physical, which is a fifth of the suite.
    no-physical) [[ $line == *'"op":"layout.physical"'* ]] && echo "{\"id\":${id%%[,\}]*},\"unsupported\":\"layout.physical\"}" && continue ;;
    # No answers at all.
    nothing) [[ $line != *'"op":"hello"'* ]] && echo "{\"id\":${id%%[,\}]*},\"unsupported\":\"all\"}" && continue ;;
    # A number with a leading zero is octal, as in C.
    octal) while [[ $line =~ ^(.*[^0-9a-f])0([0-7]+)([^0-9a-fx].*)$ ]]; do line=${BASH_REMATCH[1]}$((0${BASH_REMATCH[2]}))${BASH_REMATCH[3]}; done ;;
  esac
  echo "$line" >&"${right[1]}"
  read -r answer <&"${right[0]}" && echo "$answer"
done
END
between() { echo "bash $scratch/between.sh $program $1"; }

# --- A share of the requests ------------------------------------------------------------------------------------------
layouts='conform --suite layout --count 60'
expect 0 '~60 cases: 60 passed' $layouts --require-coverage 1 -- "$program" respond
expect 0 '~60 cases: 48 passed, 12 unsupported' $layouts -- $(between no-physical)
expect 0 '~60 cases: 48 passed, 12 unsupported' $layouts --require-coverage 0.8 -- $(between no-physical)
expect 1 '~FAILED: --require-coverage 0.9: only 48 of 60 requests were answered.' $layouts --require-coverage 0.9 -- $(between no-physical)
expect 1 '~"unmet_requirements":["--require-coverage 0.9: only 48 of 60 requests were answered"]' $layouts --json --require-coverage 0.9 -- $(between no-physical)
expect 2 '~Nothing was checked: no question was answered.' $layouts -- $(between nothing)
expect 1 '~only 0 of 60 requests were answered' $layouts --require-coverage 0.01 -- $(between nothing)
for share in 1.5 -0.1 nan; do
  expect 2 '~expected --require-coverage to be a share from 0 to 1' $layouts "--require-coverage=$share" -- "$program" respond
done
expect 2 '~--require-coverage' $layouts --require-coverage most -- "$program" respond
# Reports name the requirement, too.
"$program" $layouts --require-coverage 0.9 --report "junit:$scratch/junit.xml" --report "sarif:$scratch/out.sarif" -- $(between no-physical) > /dev/null
for report in junit.xml out.sarif; do
  grep -q -e '--require-coverage 0.9: only 48 of 60' "$scratch/$report" || { echo "FAILED: no requirement in $report"; failed=1; }
done

# --- Exact lists ------------------------------------------------------------------------------------------------------
# `everything` relates each element to each, and says that its lists are supersets.
indices='conform --suite hlo --count 60 --timeout 20s'
expect 0 '~right only as supersets' $indices -- "$misbehave" everything
expect 1 '~FAILED: --require-exact: ' $indices --require-exact -- "$misbehave" everything
expect 0 '~60 cases: 60 passed' $indices --require-exact -- "$program" respond

# --- Numbers with leading zeros ---------------------------------------------------------------------------------------
# Only the suite `parse` asks them: the others have the canonical text. It is not asked by default.
expect 0 '~All answers are right.' $layouts -- $(between octal)
"$program" conform --suite parse --count 100 -- $(between octal) > "$scratch/out"
[[ $? == 1 ]] && grep -q '^  request .*[^0-9]0[0-9]' "$scratch/out" ||
  { echo "FAILED: the suite parse does not notice octal numbers: $(cat "$scratch/out")"; failed=1; }
expect 0 '~All answers are right.' conform --suite parse --count 100 -- "$program" respond
expect 0 '~(default: all but parse' help conform
"$program" conform --count 1 --json -- "$program" respond > "$scratch/out"
grep -q '"suite":"parse"' "$scratch/out" && { echo "FAILED: the suite parse is asked by default"; failed=1; }

exit $failed

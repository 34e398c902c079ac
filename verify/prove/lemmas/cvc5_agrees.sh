#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs cvc5 on every proof obligation that `tileproof prove lemmas --smtlib DIRECTORY` wrote.
#
#     verify/prove/lemmas/cvc5_agrees.sh DIRECTORY [MILLISECONDS for each statement]
#
# Linear queries (NAME.linear.smt2) must all be unsat. A statement (NAME.smt2) must not be sat; cvc5 may leave it open.
# Prints one line of counts. Exit status: 0 cvc5 agrees; 1 it does not (names the file); 2 wrong usage, or no cvc5.
directory=$1
limit=${2:-500}
[ -d "$directory" ] || { echo "usage: cvc5_agrees.sh DIRECTORY [MILLISECONDS]" >&2; exit 2; }
command -v cvc5 >/dev/null || { echo "cvc5 is not installed" >&2; exit 2; }
queries=0 agreed=0 open=0 status=0
for file in "$directory"/*.smt2; do
  case $file in
  *.linear.smt2)
    expected=$(grep -c '^(check-sat)' "$file")
    answers=$(cvc5 --lang=smt2 --incremental "$file" 2>&1)
    unsat=$(echo "$answers" | grep -c '^unsat$')
    if [ "$unsat" -eq "$expected" ] && [ "$(echo "$answers" | wc -l)" -eq "$expected" ]; then
      queries=$((queries + expected))
    else
      echo "$file: expected unsat $expected times: $answers" >&2
      status=1
    fi
    ;;
  *)
    answer=$(cvc5 --lang=smt2 --tlimit-per="$limit" "$file" 2>/dev/null | head -n 1)
    case $answer in
    unsat) agreed=$((agreed + 1)) ;;
    sat) echo "$file: sat" >&2; status=1 ;;
    *) open=$((open + 1)) ;;
    esac
    ;;
  esac
done
[ $((queries + agreed)) -gt 0 ] || { echo "$directory: nothing was decided" >&2; status=1; }
echo "cvc5: $queries linear queries unsat, $agreed statements unsat, $open statements open"
exit $status

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs coqc on the files that `tileproof prove lemmas --coq DIRECTORY` wrote.
#
#     verify/prove/lemmas/coq_agrees.sh DIRECTORY
#
# Each theorem must be accepted and rest on no axiom. Prints one line of counts. Exit status: 0 Coq agrees; 1 it does not; 2 wrong usage, or
# no coqc (Debian's package coq).
[ -f "$1/lemmas.v" ] || { echo "usage: coq_agrees.sh DIRECTORY" >&2; exit 2; }
command -v coqc >/dev/null || { echo "coqc is not installed" >&2; exit 2; }
cd "$1" || exit 2
for file in lemmas tilings layouts; do
  theorems=$(grep -c '^Theorem ' $file.v)
  answers=$(coqc $file.v 2>&1) || { echo "$file.v: $answers" | tail -n 20 >&2; exit 1; }
  closed=$(echo "$answers" | grep -c '^Closed under the global context$')
  if [ "$closed" -ne "$theorems" ] || [ "$theorems" -eq 0 ]; then
    echo "$file.v: $theorems theorems, $closed of them without an axiom" >&2
    exit 1
  fi
  echo "Coq: $file.v, $theorems theorems, none rests on an axiom"
done

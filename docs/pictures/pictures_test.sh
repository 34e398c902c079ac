#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the commands of README.md in this folder, each of which draws a picture, and compares.
#   pictures_test.sh TILEPROOF
set -euo pipefail
program=$(realpath "$1")
cd "$(dirname "$0")"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
drawn=0
while IFS= read -r command; do
  picture=$(grep -o '[a-z_]*\.svg' <<<"$command")
  eval "set -- ${command#tileproof }"  # the words, as a shell takes them
  "$program" "${@/#docs\/pictures/$scratch}" >/dev/null
  cmp "$scratch/$picture" "$picture"
  drawn=$((drawn + 1))
done < <(grep -o "tileproof [a-z]* '[^\`]*" README.md)
[ "$drawn" = "$(ls ./*.svg | grep -vc /cost_)" ] && [ "$drawn" -gt 0 ]

#!/usr/bin/env bash
# What the workflows, the files for clusters and those of OSS-Fuzz name is there: files of the repository, presets, programs, and every option
# of a command. (What they mean to GitHub is checked by actionlint, where it is installed.)
#   workflows_test.sh TILEPROOF
set -euo pipefail
program=$1
cd "$(dirname "$0")/.."
failed=0 checked=0
wrong() {
  echo "FAILED: $*"
  failed=1
}

for file in .github/workflows/*.yml docs/ci/*.yml tools/shards/conform.yaml tools/shards/conform.slurm .clusterfuzzlite/* fuzz/oss-fuzz/Dockerfile; do
  lines=$(sed 's/#SBATCH.*//; s/^ *#.*//' "$file")
  for name in $(grep -oE '(^|[^A-Za-z/])(\./)?(tools|corpus|docs|fuzz|\.github|\.clusterfuzzlite)/[A-Za-z0-9_./-]+' <<<"$lines" | grep -oE '[a-z.]+/.*' || true); do
    checked=$((checked + 1))
    [ -e "$name" ] || wrong "$file: no $name"
  done
  for preset in $(grep -oE -- '--preset [a-z]+|build/[a-z]+/bin' <<<"$lines" | sed 's/--preset //; s|build/\(.*\)/bin|\1|' || true); do
    checked=$((checked + 1))
    grep -q "\"name\": \"$preset\"" CMakePresets.json || wrong "$file: no preset $preset"
  done
  while read -r command options; do
    checked=$((checked + 1))
    help=$("$program" "$command" --help 2>/dev/null) || true
    grep -q "^Usage: tileproof $command " <<<"$help" || { wrong "$file: no command $command"; continue; }
    for option in $(grep -oE -- '--[a-z]+' <<<"${options%% -- *}" || true); do
      grep -qE -- "^ +$option( |$)" <<<"$help" || wrong "$file: $command has no $option"
    done
  done < <(grep -oE '(^|[ /])tileproof [a-z]+ [^|]*' <<<"$lines" | grep -vE 'target tileproof' | sed 's/^[ /]*tileproof //' || true)
done
[ "$checked" -ge 40 ] || wrong "expected at least 40 names, found $checked"
for file in tools/shards/* .clusterfuzzlite/build.sh; do
  [[ $file == *.yaml ]] || bash -n "$file" || failed=1
done
if command -v actionlint >/dev/null; then actionlint .github/workflows/*.yml docs/ci/*.yml || failed=1; else echo "without actionlint"; fi
echo "$checked names"
exit $failed

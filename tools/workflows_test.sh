#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks that everything that the workflows, the files for clusters and the files for OSS-Fuzz name
# exists: files of the repository, presets, programs, and every option of a command; that actions are named by
# their commits, and a release is signed. (actionlint checks the workflows' syntax if it is installed.)
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

# An action is named by its commit, the same everywhere, with its version behind it: a tag can be moved.
declare -A commit_of
while IFS= read -r use; do
  checked=$((checked + 1))
  file=${use%%:*} action=${use#*uses: }
  if [[ $action == ./* || $action == 'OWNER/tileproof@COMMIT # v'* ]]; then
    continue  # ours; tools/check_version has the version
  elif [[ $action =~ ^([a-z]+/[a-z-]+)(/[a-z_/]+)?@([0-9a-f]{40}\ #\ v[0-9.]+)$ ]]; then
    known=${commit_of[${BASH_REMATCH[1]}]:=${BASH_REMATCH[3]}}
    [ "$known" = "${BASH_REMATCH[3]}" ] || wrong "$file: $action, elsewhere $known"
  else
    wrong "$file: expected 'uses: ACTION@COMMIT # vVERSION', found '$action'"
  fi
done < <(grep -oE '^[^#]*uses: .*' --with-filename .github/workflows/*.yml docs/ci/*.yml action.yml | sed 's/: *- uses: /: uses: /')

# A release has a proof of where it was built, and signed checksums of all of its files.
publish=$(sed -n '/^  publish:/,$p' .github/workflows/release.yml)
for part in 'id-token: write' 'attestations: write' 'subject-path: packages/\*' 'sha256sum -- \* > SHA256SUMS' 'cosign sign-blob --yes .* SHA256SUMS' 'gh release create .* packages/\*'; do
  checked=$((checked + 1))
  grep -q -- "$part" <<<"$publish" || wrong "release.yml: nothing in publish has '$part'"
done

# Every turn has its place in the night.
grep -qF "turn: [$(tools/nightly | cut -d: -f1 | paste -sd, | sed 's/,/, /g')]" .github/workflows/nightly.yml || wrong "nightly.yml: expected all turns of tools/nightly"

# ClusterFuzzLite: its actions must have every input that the workflow sets, because GitHub only
# warns of unknown ones. Every mode must be used.
of_both="language sanitizer github-token dry-run storage-repo storage-repo-branch storage-repo-branch-coverage"
of_build_fuzzers="architecture upload-build allowed-broken-targets-percentage bad-build-check keep-unaffected-fuzz-targets"
of_run_fuzzers="fuzz-seconds mode output-sarif report-unreproducible-crashes minimize-crashes parallel-fuzzing"
file=.github/workflows/clusterfuzzlite.yml
while read -r action input value; do
  checked=$((checked + 1))
  known=of_$action
  [[ " $of_both ${!known:-} " == *" $input "* ]] || wrong "$file: $action has no input $input"
  [[ $value != '${{' ]] || continue  # a value of the matrix, which the awk script below lists
  case $input in
    mode) [[ $value =~ ^(code-change|batch|prune|coverage)$ ]] || wrong "$file: no mode '$value'" ;;
    sanitizer) [ "$value" = coverage ] || grep -q "^  - $value$" fuzz/oss-fuzz/project.yaml || wrong "$file: sanitizer '$value' is not claimed" ;;
  esac
done < <(awk '
  /uses: google\/clusterfuzzlite\/actions\// {sub(/.*actions\//, ""); sub(/@.*/, ""); action = $0; next}
  /^ *(- |[a-z-]+:$)/ && !/ with:$/ {action = ""}
  action && /: / {sub(/:/, ""); print action, $1, $2}
  /sanitizer: \[/ {gsub(/.*\[|\]|,/, ""); for (i = 1; i <= NF; ++i) print "run_fuzzers sanitizer", $i}
  /mode: .*sanitizer: / {gsub(/[{},:]/, " "); print "run_fuzzers mode", $3; print "run_fuzzers sanitizer", $5}' "$file")
for way in 'mode: code-change' 'mode: batch' 'mode: prune' 'mode: coverage' 'upload-build: true'; do
  checked=$((checked + 1))
  grep -q "$way" "$file" || wrong "$file: nothing runs with $way"
done
[ "$checked" -ge 70 ] || wrong "expected at least 70 names, found $checked"
for file in tools/shards/* .clusterfuzzlite/build.sh fuzz/oss-fuzz/*.sh fuzz/afl/*.sh; do
  [[ $file == *.yaml ]] || bash -n "$file" || failed=1
done
if command -v actionlint >/dev/null; then actionlint .github/workflows/*.yml docs/ci/*.yml || failed=1; else echo "NOT RUN: actionlint, which is not installed"; fi
echo "$checked names"
exit $failed

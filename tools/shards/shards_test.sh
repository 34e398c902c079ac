#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs shards by tools/shards/run and by the commands in the files for Slurm, Kubernetes and GitHub
# Actions, with the variables that these would set. The merged report must equal the report of the
# whole run. A missing shard and a program that does not start must be errors.
#   shards_test.sh TILEPROOF
set -euo pipefail
export TILEPROOF=$1
cd "$(dirname "$0")/../.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
call=(--suite layout --suite map --count 60 --timeout 60s -- "$TILEPROOF" respond)

wrong() {
  echo "$*"
  exit 1
}
counts() { grep -E '^[a-z]+\.[a-z]+: ' "$1"; }

"$TILEPROOF" conform "${call[@]}" >"$scratch/whole"
for i in 0 1 2; do tools/shards/run "$i" 3 "$scratch/run" "${call[@]}"; done
"$TILEPROOF" judge --merge "$scratch"/run/shard-*.json >"$scratch/merged"
diff <(counts "$scratch/whole") <(counts "$scratch/merged") || wrong "the counts of the shards differ from the whole run"
tail -1 "$scratch/merged" | grep -qx '120 cases in 3 shards' || wrong "expected 120 cases, found: $(tail -1 "$scratch/merged")"

for i in 0 1; do
  SLURM_SUBMIT_DIR=$PWD SLURM_ARRAY_TASK_ID=$i SLURM_ARRAY_TASK_COUNT=2 REPORTS=$scratch/slurm bash tools/shards/conform.slurm "${call[@]}"
done
"$TILEPROOF" judge --merge "$scratch"/slurm/shard-*.json >"$scratch/merged"
diff <(counts "$scratch/whole") <(counts "$scratch/merged") || wrong "the counts of Slurm's shards differ from the whole run"

# The jobs of Kubernetes: checks that the number of shards is the same everywhere, then runs their
# commands with two shards.
file=tools/shards/conform.yaml
shards=$(sed -n 's/^  completions: //p' "$file")
grep -qx "  parallelism: $shards" "$file" || wrong "$file: expected parallelism to equal completions"
mapfile -t commands < <(sed -n 's/^ *- exec //p' "$file")
[[ ${commands[0]} == "tools/shards/run \"\$JOB_COMPLETION_INDEX\" $shards /reports "* ]] || wrong "$file: expected $shards shards: ${commands[0]}"
[[ ${commands[1]} == *" 0 $((shards - 1)))" ]] || wrong "$file: expected a merge of $shards shards: ${commands[1]}"
with_two() {
  sed "s|/reports|$scratch/kubernetes|; s| $shards | 2 |; s| 0 $((shards - 1)))| 0 1)|; s|--count .*|${call[*]}|; s|^build/release/bin/tileproof|$TILEPROOF|" <<<"$1"
}
for i in 0 1; do JOB_COMPLETION_INDEX=$i sh -c "$(with_two "${commands[0]}")"; done
sh -c "$(with_two "${commands[1]}")" >"$scratch/merged"
diff <(counts "$scratch/whole") <(counts "$scratch/merged") || wrong "the counts of Kubernetes' shards differ from the whole run"

# The commands of the workflow of GitHub Actions, with the values that it would fill in.
file=.github/workflows/conform.yml
shard=$(sed -n 's/^ *\(tools\/shards\/run .*\)/\1/p' "$file") merge=$(sed -n 's/^ *- run: \(build.* judge --merge .*\)/\1/p' "$file")
[[ -n $shard && -n $merge ]] || wrong "$file: expected a command for a shard and one for the merge"
filled() {
  sed "s|\${{ matrix.shard }}|$i|; s|\${{ strategy.job-total }}|2|; s| reports| $scratch/github|; s|^build/release/bin/tileproof|$TILEPROOF|" <<<"$1"
}
for i in 0 1; do
  COUNT=60 PROGRAM="$TILEPROOF respond" sh -ec "$(filled "${shard/--count/--suite layout --suite map --timeout 60s --count}")"
done
sh -ec "$(filled "$merge")" >"$scratch/merged"
diff <(counts "$scratch/whole") <(counts "$scratch/merged") || wrong "the counts of the workflow's shards differ from the whole run"

rm "$scratch/run/shard-1.json"
status=0
"$TILEPROOF" judge --merge "$scratch"/run/shard-*.json 2>"$scratch/error" || status=$?
[ "$status" = 2 ] || wrong "a missing shard: expected status 2, found $status"
grep -q 'shard 1 of 3 is missing' "$scratch/error" || wrong "a missing shard: $(cat "$scratch/error")"

status=0
tools/shards/run 0 2 "$scratch/none" -- /no/such/program 2>/dev/null || status=$?
[ "$status" = 2 ] || wrong "no program: expected status 2, found $status"
[ -z "$(ls "$scratch/none")" ] || wrong "no program: expected no report, found: $(ls "$scratch/none")"

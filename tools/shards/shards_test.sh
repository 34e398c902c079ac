#!/usr/bin/env bash
# Shards by tools/shards/run and by the Slurm file (with what Slurm would set) merge to the report of the whole; a shard that is missing, and a
# program that does not start, are told.
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
diff <(counts "$scratch/whole") <(counts "$scratch/merged") || wrong "shards count otherwise than the whole"
tail -1 "$scratch/merged" | grep -qx '120 cases in 3 shards' || wrong "expected 120 cases, found: $(tail -1 "$scratch/merged")"

for i in 0 1; do
  SLURM_SUBMIT_DIR=$PWD SLURM_ARRAY_TASK_ID=$i SLURM_ARRAY_TASK_COUNT=2 REPORTS=$scratch/slurm bash tools/shards/conform.slurm "${call[@]}"
done
"$TILEPROOF" judge --merge "$scratch"/slurm/shard-*.json >"$scratch/merged"
diff <(counts "$scratch/whole") <(counts "$scratch/merged") || wrong "Slurm's shards count otherwise than the whole"

rm "$scratch/run/shard-1.json"
status=0
"$TILEPROOF" judge --merge "$scratch"/run/shard-*.json 2>"$scratch/error" || status=$?
[ "$status" = 2 ] || wrong "a missing shard: expected status 2, found $status"
grep -q 'shard 1 of 3 is missing' "$scratch/error" || wrong "a missing shard: $(cat "$scratch/error")"

status=0
tools/shards/run 0 2 "$scratch/none" -- /no/such/program 2>/dev/null || status=$?
[ "$status" = 2 ] || wrong "no program: expected status 2, found $status"
[ -z "$(ls "$scratch/none")" ] || wrong "no program, and a report: $(ls "$scratch/none")"

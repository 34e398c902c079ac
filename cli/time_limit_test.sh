#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Every command ends soon on input that could take very long: each call of corpus/commands/slow.txt within a budget of
# processor time, with a documented status. cli/time_limit_test.sh PROGRAM CORPUS
. "$(dirname "$0")/expect.sh"
cd "$2" || exit 1

# seconds COMMAND..: the processor time of the command and its children, rounded up.
seconds() {
  local TIMEFORMAT='%U %S'
  { time "$@" > /dev/null 2>&1; } 2>&1 | awk '{ print int($1 + $2 + 1) }'
}

# A loop that takes about a second on an ordinary machine. A slow machine, or a program with sanitizers, has a larger
# budget. No call should need a tenth of it; one that hangs is killed.
loop() { awk 'BEGIN { for (i = 0; i < 10000000; ++i) sum += i % 7 }'; }
program_loop() { "$program" generate --suite simplify --count 2000 --seed 1; }
unit=$(($(seconds loop) + $(seconds program_loop)))
budget=$((20 * unit))
echo "a unit of $unit s, a budget of $budget s of processor time for each call"

calls=0
while IFS= read -r line; do
  [[ -z $line || $line == "#"* ]] && continue
  eval "arguments=($line)"
  met[${arguments[0]}]=1
  calls=$((calls + 1))
  (
    ulimit -t $budget
    exec timeout 1800 "$program" "${arguments[@]}" > "$scratch/out" 2> "$scratch/err" < commands/slow_requests.jsonl
  )
  status=$?
  case $status in
    [0-3]) ;;
    *)
      echo "FAILED: tileproof $line"
      echo "  expected a status of 0 to 3 within $budget s of processor time, found $status: $(head -c 300 "$scratch/err")"
      failed=1
      ;;
  esac
done < commands/slow.txt

checked=$calls
[[ $calls -ge 40 ]] || { echo "FAILED: expected at least 40 calls, found $calls"; failed=1; }
every_command_met
end

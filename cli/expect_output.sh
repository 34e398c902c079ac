# SPDX-License-Identifier: Apache-2.0
# Helper of tests that compare output, which source this file with the program in $program and a folder in $scratch.
failed=0

# expect STATUS OUTPUT ARGUMENT..: OUTPUT is standard output or, after ~, a part of both streams.
expect() {
  local status=$1 output=$2 got
  shift 2
  "$program" "$@" > "$scratch/out" 2> "$scratch/err"
  got=$?
  if [[ $output == "~"* ]]; then
    [[ $(cat "$scratch/out" "$scratch/err") == *"${output#\~}"* ]]
  else
    [[ $(cat "$scratch/out") == "$output" ]]
  fi
  if [[ $? != 0 || $got != "$status" ]]; then
    echo "FAILED: tileproof $*"
    echo "  expected status $status and: $output"
    echo "  found status $got and: $(cat "$scratch/out" "$scratch/err")"
    failed=1
  fi
}

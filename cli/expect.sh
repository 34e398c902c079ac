# SPDX-License-Identifier: Apache-2.0
# Helpers of robustness_test.sh and environment_test.sh, which source this file with the program as $1.
set -u
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
scratch=$(mktemp -d)
trap 'chmod -R u+w "$scratch"; rm -rf "$scratch"' EXIT
failed=0 checked=0
skipped=()  # tests that cannot run here, and why
declare -A met=()  # the commands that were called
one_in=1 case_number=0 call_number=0

# sample NUMBER COUNT: begins case NUMBER of a loop, of which each call of `expect` in the loop tries one case in COUNT by day, and
# each at night. The next call tries the next case, so all cases are tried by some calls.
# sample off: the calls that follow are always tried.
sample() {
  one_in=1 call_number=0
  [[ $1 == off || ${TILEPROOF_ONE_IN:-8} == 1 ]] || one_in=$2 case_number=$1
}

# expect STATUSES COMMAND..: runs the command. Its status must be one of STATUSES. If it is 2 or more, standard error
# must be one line.
expect() {
  local statuses=$1 got lines word
  shift
  ((one_in == 1 || (case_number + call_number++) % one_in == 0)) || return 0
  for word; do [[ " $commands " == *" $word "* ]] && met[$word]=1 && break; done
  timeout 900 "$@" > "$scratch/out" 2> "$scratch/err"
  got=$?
  lines=$(wc -l < "$scratch/err")
  [[ $lines == 0 && $got -lt 70 && -s $scratch/out ]] && lines=1  # a verdict, on standard output
  checked=$((checked + 1))
  if [[ " $statuses " != *" $got "* ]] || { [[ $got -ge 2 ]] && [[ $lines != 1 ]]; }; then
    echo "FAILED: $* | in: $(head -c 80 "$scratch/in" 2> /dev/null)"
    echo "  expected a status of $statuses and one line, found $got and $lines lines: $(head -c 500 "$scratch/err")"
    failed=1
  fi
}

# All commands that --help lists but explore, which is a server: explore_test.py tests it.
commands=$("$program" --help | sed -n '/^Subcommands:/,$s/^  \([a-z]\+\) .*/\1/p' | grep -vx explore | tr '\n' ' ')
[[ $(wc -w <<< "$commands") -ge 15 ]] || { echo "FAILED: expected at least 15 commands in --help, found: $commands"; exit 1; }

# Fails if a command was not called since met=().
every_command_met() {
  local command
  for command in $commands; do
    [[ -n ${met[$command]-} ]] || { echo "FAILED: line ${BASH_LINENO[0]}: the command '$command' is not tested here; add a call"; failed=1; }
  done
}

# Exits with 77, which ctest reports as skipped, if no test failed and some could not run.
end() {
  echo "$checked calls"
  [[ ${#skipped[@]} == 0 ]] || printf 'NOT RUN: %s\n' "${skipped[@]}"
  [[ $failed == 1 || ${#skipped[@]} == 0 ]] || exit 77
  exit $failed
}

# repeated TEXT COUNT: prints the text COUNT times.
repeated() { yes -- "$1" | tr -d '\n' | head -c $((${#1} * $2)); }

million=1000000
# The megabytes of a line that is too long: more at night.
long=$((${TILEPROOF_ONE_IN:-8} == 1 ? 100 : 2))
shape='f32[3,5]{1,0:T(2,2)}'
nested='(2,(3,4)):(1,(2,6))'
map='(d0) -> ((-d0) mod 2), domain: d0 in [0, 127]'
hlo='r = f32[2,4,4] reshape(f32[4,8] p)'
threads='(th_x) -> (0, 0, th_x), domain: th_x in [0, 3]'
request='{"id": 7, "op": "layout.linearize", "shape": "f32[3,5]", "index": [2, 3]}'
printf '%s\n' "$hlo" > "$scratch/hlo"
printf '%s\n' "$threads" > "$scratch/threads"
"$program" generate --suite layout --count 2 > "$scratch/requests"

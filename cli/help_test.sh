#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks help, suggestions, man pages and completion: all of them are made from the declarations of the commands.
#   help_test.sh TILEPROOF
set -u
program=$1
PATH=$(cd "$(dirname "$program")" && pwd):$PATH  # completion scripts call tileproof
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0 checked=0
wrong() { echo "FAILED: $*"; failed=1; }

# expect STATUS TEXT ARGUMENT..: the program ends with the status and prints the text somewhere.
expect() {
  local status=$1 text=$2 got
  shift 2
  "$program" "$@" >"$scratch/out" 2>&1
  got=$?
  checked=$((checked + 1))
  [[ $got == "$status" && $(<"$scratch/out") == *"$text"* ]] || wrong "tileproof $*: expected $status and '$text', found $got and: $(head -c 600 "$scratch/out")"
}

# --- Examples come first, and each is a call that the program accepts ------------------------------------------------
expect 2 $'\n\nExamples:\n  tileproof layout '
expect 0 $'\n\nExamples:\n  tileproof layout ' help
expect 0 $'\n\nExamples:\n  tileproof layout ' --help
commands=$("$program" --help | sed -n '/^Subcommands:/,$s/^  \([a-z]\+\) .*/\1/p')
for command in $commands; do
  expect 0 $'\n\nExamples:\n  ' help "$command"
  expect 0 "Usage: tileproof $command " help "$command"
  "$program" help "$command" >"$scratch/help"
  "$program" "$command" --help | cmp - "$scratch/help" || wrong "$command --help is not help $command"
done
expect 0 '--index' help layout
expect 0 'output_to_input|input_to_output' help map
expect 0 '(default: 1000)' help conform
expect 0 '--time TIME' help conform
expect 0 '--cache DIR' help prove
for page in '' layout conform equiv; do
  expect 0 'Exit status: 0 it holds, 1 a counterexample was found,' help $page
  expect 0 '3 undecided within the time given,' help $page
done
cd "$scratch" || exit 1
run_examples() {
  "$program" help $1 | sed -n '/^Examples:/,/^Usage:/s/^  \([^ ].*\)/\1/p' >"$scratch/examples"
  while read -r example; do
    case $example in
      *module.hlo* | *matmul.json* | *my_implementation* | *libmine* | *requests.jsonl* | *shard-0* | *docs/examples* | *fuzz* | 'tileproof zoo' | *lemmas | *explore*) continue ;;  # needs files, takes long, or does not end
    esac
    checked=$((checked + 1))
    bash -c "$example" </dev/null >"$scratch/out" 2>&1
    [[ $? -le 1 ]] || wrong "the example $example: $(<"$scratch/out")"
  done <"$scratch/examples"
}
run_examples ""
for command in $commands; do run_examples "$command"; done

# --- What was probably meant ----------------------------------------------------------------------------------------
expect 2 "tileproof: no command 'laout'; did you mean 'layout'?" laout 'f32[3]'
expect 2 "tileproof: no command 'x'; \`tileproof\` lists them" x
expect 2 "no command 'simplfy'; did you mean 'simplify'?" help simplfy
expect 2 "layout has no option '--ofset'; did you mean '--offset'?" layout 'f32[3]' --ofset 1
expect 2 "layout has no option '--ofset'; did you mean '--offset'?" layout 'f32[3]' --ofset=1
expect 2 "tile has no option '--tiel'; did you mean '--tile'?" tile 'r = f32[2] negate(f32[2] p)' --tiel 0:1
expect 2 "tileproof has no option '--vesion'; did you mean '--version'?" --vesion
expect 2 "conform has no option '--cases'; did you mean '--case'?" conform --cases 300 -- cat --engine impl
expect 2 'tileproof: --svg: 1 required FILE missing' layout 'f32[3]' --svg
expect 2 "found 'float32'; did you mean 'f32'?" layout 'float32[3]'
expect 2 "found 'f23'; did you mean 'f32'?" layout 'f23[3]'
expect 2 "found 'i8'; did you mean 's8'?" layout 'zN:i8[3,3]'
expect 2 "found int8; did you mean 's8'?" layout '(3,5):(8,1)' --as xla --type int8
expect 2 "found 'transpse'; did you mean 'transpose'?" map 't = f32[3,2] transpse(f32[2,3] p)'
expect 0 "transpse: an unknown operation; did you mean 'transpose'?" map --allow-unknown 't = f32[3,2] transpse(f32[2,3] p)'

# --- Man pages ------------------------------------------------------------------------------------------------------
expect 0 '' pages "$scratch/share"
[[ $(ls "$scratch/share/man/man1" | wc -l) == $(($(wc -w <<<"$commands") + 1)) ]] || wrong "expected a man page for each command: $(ls "$scratch/share/man/man1")"
for page in "$scratch"/share/man/man1/*.1; do
  for part in .TH '.SH NAME' '.SH SYNOPSIS' '.SH EXAMPLES' '.SH EXIT STATUS'; do grep -qF "$part" "$page" || wrong "$page: no $part"; done
  if command -v groff >/dev/null; then
    errors=$(groff -man -Tascii -ww -z "$page" 2>&1)
    [ -z "$errors" ] || wrong "$page: $errors"
  fi
done
grep -qF '\-\-index' "$scratch/share/man/man1/tileproof-layout.1" || wrong "tileproof-layout.1: no --index"
echo x >"$scratch/file"
expect 2 'cannot write' pages "$scratch/file"

# --- Completion -----------------------------------------------------------------------------------------------------
. <("$program" completion bash)
# completes WORDS.. = EXPECTED: what bash would offer for the last word.
completes() {
  local expected=${*##*= } line="${*%% =*}"
  eval "COMP_WORDS=($line)"
  [[ $line == *"''" ]] || true
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  _tileproof
  checked=$((checked + 1))
  [[ "${COMPREPLY[*]}" == "$expected" ]] || wrong "completion of '$line': expected '$expected', found '${COMPREPLY[*]}'"
}
completes "tileproof lay = layout"
completes "tileproof layout --off = --offset"
completes "tileproof map --direction in = input_to_output"
completes "tileproof help simp = simplify"
completes "tileproof algebra comp = composition complement"
completes "tileproof conform --suite lay = layout"
[[ $("$program" completion bash) == "$(<"$scratch/share/bash-completion/completions/tileproof")" ]] || wrong "two scripts for bash"
for shell in zsh fish; do
  "$program" completion "$shell" >"$scratch/script"
  for name in layout conform help; do grep -q "$name" "$scratch/script" || wrong "$shell: no $name"; done
  if command -v "$shell" >/dev/null; then "$shell" -n "$scratch/script" || wrong "$shell does not read its script"; fi
done
expect 2 "expected bash, zsh or fish" completion csh

[ "$checked" -ge 60 ] || wrong "expected at least 60 checks, found $checked"
echo "$checked checks"
exit $failed

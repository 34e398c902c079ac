#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Runs every command with little memory, closed pipes, full disks, read-only folders and unreadable files. Each must end with a
# documented status and one line of error. By day each command meets some of these (`sample`). cli/environment_test.sh PROGRAM
. "$(dirname "$0")/expect.sh"

as_user=()  # prefix that drops root's rights: root may write anywhere
[[ $(id -u) == 0 ]] && as_user=(setpriv --reuid 65534 --regid 65534 --clear-groups)
chmod 755 "$scratch"
if ! "${as_user[@]}" test -x "$program"; then
  # The other user cannot enter the folder of the program. The program finds the corpus relative to itself, so copy both.
  mkdir -p "$scratch/open/build/release/bin"
  cp "$program" "$scratch/open/build/release/bin"
  cp -r "$(dirname "$0")/../corpus" "$scratch/open"
  chmod -R a+rX "$scratch/open"
  program=$scratch/open/build/release/bin/$(basename "$program")
fi
for i in 1 2 3; do echo "$map"; done > "$scratch/maps"
{ echo -n '(d0) -> ('; repeated 'd0 * 3 + ' $million; echo 'd0), domain: d0 in [0, 9]'; } > "$scratch/in"
{ for i in $(seq 20000); do echo "r$i = f32[4,8] negate(f32[4,8] p)"; done; } > "$scratch/module"
ones=$(repeated '1,' 63)1  # nested to 64 * 64 tuples of 64: a valid layout of half a megabyte
for _ in 1 2; do ones="($(repeated "($ones)," 63)($ones))"; done
echo "($ones):($ones)" > "$scratch/wide"
# A fake fuzz target, as in campaign_test.py.
mkdir "$scratch/bin"
printf '#!/bin/sh\n. %q\n[ $mode = merge ] && keep "$second"/*\nstarts; sleep 0.1; ends\n' \
  "$(cd "$(dirname "$0")/../fuzz/campaign/testdata" && pwd)/fake_target.sh" > "$scratch/bin/layout_fuzzer"
chmod 755 "$scratch/bin/layout_fuzzer"
tile="tile $scratch/hlo --tile 0:1,0:1,0:1"
echo '{"grid": [2], "operands": [{"name": "y", "kind": "out", "shape": [4], "block": [2], "index_map": "(i) -> (i), domain: i in [0, 1]"}]}' > "$scratch/grid"
coalescing="coalescing $scratch/hlo --threads @$scratch/threads"
campaign="fuzz layout --time 1 --programs $scratch/bin --corpus $scratch/campaign"

# --- Little memory --------------------------------------------------------------------------------------------------
with_memory() {
  local kilobytes=$1
  shift
  (ulimit -v "$kilobytes"; ulimit -c 0; exec "$@")
}
export -f with_memory
large=("simplify @$scratch/in" "simplify --keep tiles @$scratch/in" "simplify --trace @$scratch/in" "equiv @$scratch/in @$scratch/in" 'layout f32[16777216,128]{1,0:T(8,128)}'
  "layout @$scratch/wide" "layout @$scratch/wide --as xla" "relayout @$scratch/wide @$scratch/wide" "algebra left_inverse @$scratch/wide" "equiv @$scratch/wide @$scratch/wide" "banks @$scratch/wide --access 4:1"
  "equiv --reshape f32[64,4096]{1,0:T(8,128)} f32[4096,64]{1,0:T(8,128)}" "layout $shape --svg $scratch/picture.svg"
  "map $scratch/module" "map --verify $scratch/hlo" "utilization $scratch/module" "waste $scratch/module" "$tile" "$coalescing" "prove $shape"
  "tile $scratch/module --instruction r20000 --tile 0:4,0:8" "coalescing $scratch/module --instruction r20000 --threads @$scratch/threads"
  "explain $shape --index 2,3" "evaluate $shape --at 2,3" "image @$scratch/wide" "check @$scratch/wide --one-to-one" "grid $scratch/grid" "inverse @$scratch/wide" "diff @$scratch/wide @$scratch/wide"
  "compose @$scratch/in @$scratch/in" "coalescing $scratch/hlo --threads @$scratch/in" "generate --suite hlo --count 50" "generate --suite uses --count 50 --answers"
  "conform --suite map --count 20 -- $program respond" "judge --requests $scratch/requests --answers $scratch/requests"
  "respond" "zoo --respond OPEN-21" "zoo OPEN-21" "zoo --table" "fuzz layout --show $scratch/in" "$campaign")
sizes=(60000 100000 200000)
if ! with_memory 200000 "$program" --version > /dev/null 2>&1; then
  skipped+=("little memory: the program (with sanitizers?) does not start in 200 MB")
  sizes=()
fi
number=0
for kilobytes in "${sizes[@]}"; do
  sample $((number++)) 3
  for words in "${large[@]}"; do
    read -ra arguments <<< "$words"
    expect "0 1 2 3 70" bash -c 'with_memory "$@"' bash "$kilobytes" "$program" "${arguments[@]}" < "$scratch/requests"
  done
done
sample off
[[ ${#sizes[@]} == 0 ]] || every_command_met

# --- Standard output that is closed or full -------------------------------------------------------------------------
writers=("layout $shape" "relayout $shape $shape" "algebra composition $nested 4:1" "map $scratch/hlo" "simplify --lines" "simplify --trace $scratch/maps" "prove --list"
  "prove $shape" "equiv $shape $shape" "explain $shape --index 2,3" "evaluate $shape --at 2,3" "image $shape" "check $shape --one-to-one" "grid $scratch/grid" "banks 4:1 --access 4:1 --type f16" "inverse $shape" "diff $shape $shape"
  "compose $shape 24:1" "$tile" "$coalescing" "utilization $scratch/hlo" "waste $scratch/hlo" "conform --suite layout --count 3 -- $program respond"
  "fuzz layout --show $scratch/hlo" "$campaign" "generate --suite layout --count 3" "generate --schema"
  "judge --requests $scratch/requests --answers $scratch/requests" "respond" "respond --engine spec" "zoo --table" "zoo OPEN-21"
  "zoo --respond OPEN-21")
# Also with --json, if the command has that option.
for words in "${writers[@]}"; do
  [[ $words == *--lines* || $words == *--show* || $words == *--list* || $words == *--table* || $words == *--trace* ]] && continue
  "$program" "${words%% *}" --help | grep -q -- --json && writers+=("${words%% *} --json ${words#* }")
done
met=()
for words in "${writers[@]}"; do
  read -ra arguments <<< "$words"
  [[ $words == *--trace* ]] && arguments=(simplify --trace "$map")
  sample $((number++)) 3
  input=$scratch/requests
  [[ $words == simplify* ]] && input=$scratch/maps
  expect 70 bash -c '"$@" < "$0" > /dev/full' "$input" "$program" "${arguments[@]}"
  expect 70 bash -c '"$@" < "$0" >&-' "$input" "$program" "${arguments[@]}"
  expect "0 1 70" bash -c '"$@" < "$0" | true; exit "${PIPESTATUS[0]}"' "$input" "$program" "${arguments[@]}"
done
sample off
every_command_met
for words in "generate --suite layout --count 1000000" "map $scratch/module" "utilization $scratch/module" "zoo"; do
  read -ra arguments <<< "$words"
  expect 70 bash -c '"$@" | head -n 1 > /dev/null; exit "${PIPESTATUS[0]}"' bash "$program" "${arguments[@]}"
done

# --- Standard input that is closed ----------------------------------------------------------------------------------
for words in "simplify" "simplify --lines" "simplify --check -" "layout -" "relayout - -" "map -" "utilization -" "waste -" "tile - --tile 0:1" "tile --tile 0:1" \
  "coalescing $scratch/hlo --threads @-" "coalescing --threads @$scratch/threads" "equiv - -" "explain - --index 0" "evaluate - --at 0" "image -" "check - --one-to-one" "grid -" "banks - --access 4:1" "banks $shape --access -" "inverse -" "diff - -" "compose - -" "algebra coalesce -" "respond" \
  "zoo --respond OPEN-21" "zoo OPEN-21" "judge --requests - --answers -" "generate --suite layout --count 1" \
  "conform --suite layout --count 3 -- $program respond" "prove $shape" "prove -" "$campaign"; do
  read -ra arguments <<< "$words"
  expect "0 1 2" bash -c '"$@" <&-' bash "$program" "${arguments[@]}"
done

# --- Read-only folders, unreadable files ----------------------------------------------------------------------------
mkdir "$scratch/closed"
echo "$shape" > "$scratch/secret"
chmod 000 "$scratch/secret"
chmod 555 "$scratch/closed"
if "${as_user[@]}" "$program" --version > /dev/null 2>&1; then
  refused() { expect 2 "${as_user[@]}" "$program" "$@"; }
  refused layout "$shape" --svg "$scratch/closed/picture.svg"
  refused prove "$shape" --smtlib "$scratch/closed/questions"
  refused equiv "$map" '(d0) -> (d0 mod 2), domain: d0 in [0, 127]' --smtlib "$scratch/closed/questions"
  for kind in junit sarif; do refused conform --suite layout --count 3 --report "$kind:$scratch/closed/report" -- "$program" respond; done
  refused fuzz layout --time 1 --corpus "$scratch/closed/corpus"
  refused fuzz layout --time 1 --programs "$scratch/bin" --corpus "$scratch/closed"
  for words in "layout @FILE" "relayout @FILE $shape" "relayout $shape $shape --in FILE --out $scratch/closed/copy" "algebra coalesce @FILE" "map FILE" "simplify @FILE" "simplify --check @FILE" "prove @FILE" "equiv @FILE $shape" \
    "explain @FILE --index 0" "evaluate @FILE --at 0" "image @FILE" "check @FILE --one-to-one" "banks @FILE --access 4:1" "inverse @FILE" "diff @FILE $shape" "compose $shape @FILE" \
    "equiv $shape @FILE" "tile FILE --tile 0:1" "coalescing FILE --threads (th_x)->(th_x)" "coalescing $scratch/hlo --threads @FILE" \
    "utilization FILE" "waste FILE" "conform --suite layout --count 1 --expect FILE -- $program respond" "respond --plugin FILE" "conform --plugin FILE" \
    "conform --suite layout --count 1 -- FILE" "fuzz layout --show FILE" "judge --requests FILE --answers $scratch/requests" \
    "judge --requests $scratch/requests --answers FILE" "judge --merge FILE"; do
    sample $((number++)) 2
    for file in "$scratch/secret" "$scratch/none" "$scratch" "$scratch/hlo/none"; do
      read -ra arguments <<< "${words//FILE/$file}"
      refused "${arguments[@]}"
    done
  done
  sample off
  # Without an option that names a file, no command writes into the current folder.
  cd "$scratch/closed" || exit 1
  met=()
  for words in "${writers[@]}"; do
    [[ $words == *--trace* || $words == fuzz*--time* ]] && continue
    read -ra arguments <<< "$words"
    expect "0 1" "${as_user[@]}" "$program" "${arguments[@]}" < "$scratch/maps"
  done
  every_command_met
else
  skipped+=("read-only folders: only root can run the program")
fi

end

#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the steps of action.yml as a runner would, with the commands of docs/ci/tileproof.yml: on samples that
# are right, on samples that are wrong, and from a release that is downloaded or was tampered with.
#   action_test.sh TILEPROOF PLUGIN.so [ARCHIVE.tar.gz]     without ARCHIVE it makes one of TILEPROOF
set -euo pipefail
here=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
plugin=$(realpath "$2")
archive=${3:+$(realpath "$3")}
version=$(sed -n 's/^project(tileproof VERSION \([0-9.]*\) .*/\1/p' "$here/CMakeLists.txt")
name=tileproof-$version-Linux-x86_64
if [ -z "$archive" ]; then
  mkdir -p "$scratch/$name/bin"
  cp "$1" "$scratch/$name/bin/tileproof"
  tar czf "$scratch/$name.tar.gz" -C "$scratch" "$name"
  archive=$scratch/$name.tar.gz
fi
failed=0 checked=0
# What a step must do: expect NAME STATUS TEXT, after `step`.
expect() {
  checked=$((checked + 1))
  if [ "$status" != "$2" ] || ! grep -qF -e "$3" "$scratch/out"; then
    echo "FAILED: $1: expected status $2 and '$3', found status $status and:"
    cat "$scratch/out"
    failed=$((failed + 1))
  fi
}
# The command of each step of action.yml, in order: `step N` runs it in an environment like a runner's.
mapfile -t steps < <(sed -n "s/^ *run: '\(.*\)'$/\1/p" "$here/action.yml")
[ "${#steps[@]}" = 3 ] || { echo "FAILED: expected 3 commands in action.yml, found ${#steps[@]}"; exit 1; }
step() {
  local number=$1
  shift
  status=0
  (cd "$scratch/workspace" && env -i HOME="$scratch/home" PATH="$(cat "$scratch/path"):/usr/bin:/bin" GITHUB_ACTIONS=true \
    GITHUB_ACTION_PATH="$here" GITHUB_PATH="$scratch/path.new" GITHUB_STEP_SUMMARY="$scratch/summary" \
    GITHUB_SERVER_URL="file://$scratch/server" GITHUB_ACTION_REPOSITORY=owner/tileproof \
    GITHUB_OUTPUT="$scratch/outputs" RUNNER_TEMP="$scratch/temp" "$@" bash --noprofile --norc -e -o pipefail -c "${steps[$number]}") >"$scratch/out" 2>&1 || status=$?
  cat "$scratch/path.new" >>"$scratch/path"
  : >"$scratch/path.new"
}
mkdir -p "$scratch"/{workspace/ci,home,temp}
: >"$scratch/path.new"
echo "$scratch/nothing" >"$scratch/path"

# The cache of a build has the commit in its key: of a clone, and of what a runner downloads, which is no clone.
grep -qF 'key: tileproof-${{ steps.source.outputs.commit }}' "$here/action.yml" || { echo "FAILED: the key has no commit"; exit 1; }
mkdir -p "$scratch/clone/tools" "$scratch/download"
cp -r "$here/tools/action" "$scratch/clone/tools/"
cp "$here/.gitattributes" "$scratch/clone/"
git=(git -C "$scratch/clone" -c user.name=test -c user.email=test@localhost)
"${git[@]}" init -q && "${git[@]}" add . && "${git[@]}" commit -qm test
commit=$("${git[@]}" rev-parse HEAD)
"${git[@]}" archive HEAD | tar x -C "$scratch/download"
for action in clone download; do
  rm -f "$scratch/outputs"
  step 0 GITHUB_ACTION_PATH="$scratch/$action"
  cat "$scratch/outputs" >>"$scratch/out"
  expect "the commit of a $action" 0 "commit=$commit"
done

# A release that is there, one that was tampered with, one that is not.
releases=$scratch/server/owner/tileproof/releases/download/v$version
mkdir -p "$releases"
cp "$archive" "$releases/$name.tar.gz"
(cd "$releases" && sha256sum ./*.gz | sed 's|\./||' >SHA256SUMS)
step 1 VERSION=9.9.9
expect 'a release that is not there' 2 '::error::cannot download'
if [ "$(uname -m)" = x86_64 ] && command -v curl >/dev/null; then
  echo >>"$releases/$name.tar.gz"
  step 1 VERSION="$version"
  expect 'a release that was tampered with' 2 'is not what SHA256SUMS says'
  cp "$archive" "$releases/$name.tar.gz"
  step 1 VERSION="$version"
  expect 'a release' 0 "$version"
  rm -rf "$scratch/temp"/*
fi
echo "$scratch/nothing" >"$scratch/path"
step 1 VERSION="$version" ARCHIVE="$archive"
expect 'an archive' 0 "$version"
[ "$(tail -1 "$scratch/path")" = "$scratch/temp/tileproof-$version/bin" ] || { echo "FAILED: not on the path"; exit 1; }
paste -sd: "$scratch/path" >"$scratch/joined" && mv "$scratch/joined" "$scratch/path"

commands=$(sed -n '/commands: |/,/^$/s/^            //p' "$here/docs/ci/tileproof.yml")
cd "$scratch/workspace"
"$here/docs/ci/samples.sh" ci
cp "$plugin" ci/libimplementation.so
step 2 COMMANDS="$commands"
expect 'all is right' 0 'verified: 1 proven'
grep -q '::error' "$scratch/out" && { echo "FAILED: an annotation, though all is right"; exit 1; }
[ "$(grep -c '| passed |' "$scratch/summary")" = 6 ] || { echo "FAILED: expected 6 rows in the summary"; exit 1; }
echo 'f32[128,128]{0,1}' >ci/layout_after.txt
sed -i 's/x % t/x % 3/' ci/implementation.py
step 2 COMMANDS="$commands"
expect 'a wrong layout' 1 '::error file=ci/layout_after.txt,line=1,title=tileproof equiv%3A a counterexample::different: at index [0,1]'
expect 'a wrong implementation' 1 '::error file=ci/implementation.py,line=1,title=tileproof conform%3A a counterexample::'
[ "$(grep -c '^::error' "$scratch/out")" = 2 ] || { echo "FAILED: expected 2 annotations"; exit 1; }
printf 'HloModule m\n\nENTRY e {\n  p = f32[4,6] parameter(0)\n  ROOT t = f32[6,4] transpsoe(p), dimensions={1,0}\n}\n' >ci/typo.hlo
sed 's/transpsoe/transpose/' ci/typo.hlo >ci/right.hlo
step 2 COMMANDS='equiv ci/right.hlo ci/typo.hlo'
expect 'a typo' 2 '::error file=ci/typo.hlo,line=5,title=tileproof equiv%3A a wrong call'
step 2 COMMANDS="equiv '@ci/typo.hlo' ci/right.hlo"
expect 'a typo on the left' 2 '::error file=ci/typo.hlo,line=5,'
step 2 COMMANDS='map --verify ci/nowhere.hlo'
expect 'a wrong call' 2 'a wrong call'
# Each is an error of the line, not a command: what a shell alone would do is never done.
while IFS= read -r wrong; do
  step 2 COMMANDS="$(printf '# first\n%s' "$wrong")"
  expect "a line for a shell: $wrong" 2 '::error title=tileproof equiv%3A a wrong call%2C or nothing was checked::line 2 of commands: expected arguments, found `'
done <<'END'
equiv ci/layout_before.txt ci/right.hlo || true
equiv 'f32[4]' 'f32[4]'; touch done
equiv 'f32[4]' 'f32[4]' & touch done
equiv 'f32[4]' 'f32[4]' > done
equiv $(touch done) 'f32[4]'
equiv "$(touch done)" "`touch done`"
equiv "$HOME" 'f32[4]'
equiv 'f32[4] 'f32[4]'
equiv f32[4] f32\[4]
equiv 'f32[4]' 'f32[4]' # a comment
END
[ ! -e "$scratch/workspace/done" ] || { echo "FAILED: a line of commands ran a command of its own"; exit 1; }
step 2 COMMANDS="equiv 'f32[4,4]{1,0}' \"f32[4,4]\"{1,'0'}"
expect 'quotes, also within a word' 0 'equal'
step 2 COMMANDS="equiv ci/layout_before.txt ''"
expect 'an empty word is an argument' 2 'a wrong call'
step 2 COMMANDS='# nothing'
expect 'no command' 2 '::error::no command to check'
echo "action.yml: $checked steps, $failed failed"
[ "$failed" = 0 ]

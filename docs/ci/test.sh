#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the commands of tileproof.yml on samples: all hold; and each, on a sample that is wrong, fails and says why.
#   docs/ci/test.sh TILEPROOF PLUGIN.so
set -eu
here=$(dirname "$(realpath "$0")")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/bin" "$scratch/ci"
ln -s "$(realpath "$1")" "$scratch/bin/tileproof"
ln -s "$(realpath "$2")" "$scratch/ci/libimplementation.so"
PATH=$scratch/bin:$PATH
cd "$scratch"

"$here/samples.sh" ci
sed -n '/commands: |/,/^$/s/^            \([a-z].*\)/tileproof \1/p' "$here/tileproof.yml" > commands
[ "$(wc -l < commands)" = 6 ] || { echo "FAILED: expected 6 commands in tileproof.yml"; exit 1; }
while read -r command; do
  sh -c "$command" > out 2>&1 || { echo "FAILED: $command"; cat out; exit 1; }
done < commands

# fails STATUS TEXT COMMAND: the command of the workflow that has COMMAND in it.
fails() {
  status=0
  sh -c "$(grep -F -e "$3" commands)" > out 2>&1 || status=$?
  if [ "$status" != "$1" ] || ! grep -qF -e "$2" out; then
    echo "FAILED: expected status $1 and '$2' of: $(grep -F -e "$3" commands)"
    echo "found status $status and:"
    cat out
    exit 1
  fi
}
sed -i 's/transpose(p), dimensions={1,0}/reshape(p)/' ci/after.hlo
fails 1 'result 0: different' before.hlo
echo 'f32[128,128]{0,1}' > ci/layout_after.txt
fails 1 'where LEFT and RIGHT put that element' layout_before
echo 'f32[128,64]{1,0}' > ci/layout_after.txt
fails 2 'the logical shapes differ' layout_before
echo '(d0) -> (d0), domain: d0 in [0, 127]' > ci/map_after.txt
fails 1 'different at d0 = 2: (0) and (2)' map_before
sed -i 's/x % t/x % 3/' ci/implementation.py
fails 1 'FAILED' implementation.py
grep -qF '<failure type="wrong"' tileproof.xml || { echo "FAILED: no failure in the report"; exit 1; }
rm ci/libimplementation.so
fails 2 'cannot load' --plugin
echo 'r = f32[2,4,5] reshape(f32[4,8] p)' > ci/module.hlo
fails 2 'cannot be analyzed' --verify

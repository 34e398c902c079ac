#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Writes the files that the commands of tileproof.yml name, all of them right, but the plug-in.
#   docs/ci/samples.sh FOLDER
set -eu
here=$(dirname "$(realpath "$0")")
cd "$1"
echo 'f32[128,128]{1,0:T(8,128)}' > layout_before.txt
echo 'f32[128,128]{1,0}' > layout_after.txt
echo '(d0) -> ((-d0) mod 2), domain: d0 in [0, 127]' > map_before.txt
echo '(d0) -> (d0 mod 2), domain: d0 in [0, 127]' > map_after.txt
echo '# none' > known_failures.txt
cp "$here/../examples/respond.py" implementation.py
echo 'r = f32[2,4,4] reshape(f32[4,8] p)' > module.hlo
cat > before.hlo <<'END'
HloModule sample

ENTRY main {
  p = f32[6,4] parameter(0)
  ROOT r = f32[4,6] transpose(p), dimensions={1,0}
}
END
sed 's/sample/after/' before.hlo > after.hlo

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs Tileproof, then builds and runs a project that uses it: test.sh BUILD SCRATCH CXX
set -eu
build=$1 scratch=$2 cxx=$3
here=$(dirname "$(realpath "$0")")
rm -rf "$scratch"
mkdir -p "$scratch"
cmake --install "$build" --prefix "$scratch/prefix" > "$scratch/install.log"
cmake -S "$here" -B "$scratch/build" -DCMAKE_PREFIX_PATH="$scratch/prefix" -DCMAKE_CXX_COMPILER="$cxx" > "$scratch/configure.log"
cmake --build "$scratch/build" > "$scratch/build.log"
printf '17\n(d0) -> (d0 mod 2), domain: d0 in [0, 127]\n' > "$scratch/expected"
"$scratch/build/offset" | diff "$scratch/expected" -
"$scratch/prefix/bin/tileproof" conform --suite layout --plugin "$scratch/build/libmy_plugin.so"

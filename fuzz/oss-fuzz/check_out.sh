#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks $OUT like the runner of OSS-Fuzz and ClusterFuzzLite (base-runner: test_all.py,
# bad_build_check, run_fuzzer, coverage), with its sanitizer options.
#   SANITIZER=address|undefined|coverage FUZZING_ENGINE=libfuzzer|afl OUT=DIR \
#     check_out.sh SCRATCH TARGET..
# OUT must hold exactly these targets. No other folder of their build may still exist.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=$(cd "$OUT" && pwd)
mkdir -p "$1"
scratch=$(cd "$1" && pwd)
shift
unset OUT SRC WORK LIB_FUZZING_ENGINE CFLAGS CXXFLAGS
export ASAN_OPTIONS=alloc_dealloc_mismatch=0:allocator_may_return_null=1:check_malloc_usable_size=0:detect_leaks=1:detect_odr_violation=2:detect_stack_use_after_return=0:handle_abort=2:handle_segv=2:handle_sigill=2:quarantine_size_mb=10:strict_memcmp=1:symbolize=1
export UBSAN_OPTIONS=print_stacktrace=1:print_summary=1:silence_unsigned_overflow=1:symbolize=1
llvm=$(dirname "$(readlink -f "$(command -v clang)")")
wrong() {
  echo "$*"
  exit 1
}

# test_all.py considers a file a target if it is executable and contains libFuzzer's entry point.
found=$(cd "$out" && for file in *; do
  if [ -f "$file" ] && [ -x "$file" ] && [[ $file != afl-* && $file != llvm-symbolizer ]] && grep -q LLVMFuzzerTestOneInput "$file"; then echo "$file"; fi
done | sort | xargs)
expected=$(printf '%s\n' "$@" | sort | xargs)
[ "$found" = "$expected" ] || wrong "expected the targets '$expected' in \$OUT, found '$found'"

# run_fuzzer TARGET ARGUMENT..: runs the target in $OUT with its options, like OSS-Fuzz's script of
# that name. Writes the output to $scratch/run.
run_fuzzer() {
  local target=$1 options
  shift
  options=$(python3 -c '
import configparser, sys
parser = configparser.ConfigParser()
parser.read(sys.argv[1])
print(" ".join("-%s=%s" % option for option in parser.items("libfuzzer")))' "$out/$target.options")
  # shellcheck disable=SC2086 # one word an option
  (cd "$out" && PATH=$out:$PATH "./$target" -rss_limit_mb=2560 -timeout=25 "$@" $options </dev/null) >"$scratch/run" 2>&1
}
failed() {  # MESSAGE: prints it after the output of the program
  tail -20 "$scratch/run"
  wrong "$*"
}

check_libraries() {
  local missing outside
  [[ $(objdump -f "$out/$target") == *'file format elf64-x86-64'* ]] || wrong "$target is not for x86_64"
  missing=$(ldd "$out/$target" | grep 'not found' || true)
  [ -z "$missing" ] || wrong "$target: $missing"
  outside=$(ldd "$out/$target" | awk '$2 == "=>" {print $3}' | grep -v "^$out/" |
    grep -vE '/(libc|libm|libdl|librt|libpthread|libresolv|libgcc_s)\.so' || true)
  [ -z "$outside" ] || wrong "$target needs libraries that the runner does not have: $outside"
}

# Checks options, dictionary and seeds. Unpacks the seeds to $seeds.
check_files() {
  local option named
  head -1 "$out/$target.options" | grep -qx '\[libfuzzer\]' || wrong "$target.options: expected the section [libfuzzer]"
  for option in max_len rss_limit_mb timeout; do
    grep -qE "^$option = [0-9]+$" "$out/$target.options" || wrong "$target.options: no $option"
  done
  rm -rf "$seeds"
  mkdir -p "$seeds"
  [ -f "$out/${target}_seed_corpus.zip" ] || return 0  # its inputs are choices of a generator
  unzip -q "$out/${target}_seed_corpus.zip" -d "$seeds"
  [ "$(find "$seeds" -type f | wc -l)" -gt 10 ] || wrong "$target: expected more than 10 seeds"
  named=$(sed -n 's/^dict = //p' "$out/$target.options")
  [ -f "$out/$named" ] || wrong "$target.options names the dictionary '$named', which is not there"
}

# Expects one sanitizer only, with enough calls. The numbers are those of bad_build_check.
check_sanitizer() {
  local counts
  counts=$(objdump -d "$out/$target" | grep -oE 'call.*<__(asan|ubsan|msan|dfsan)' | sed 's/.*<__//' | sort | uniq -c)
  calls() { awk -v name="$1" '$2 == name {print $1; found = 1} END {if (!found) print 0}' <<<"$counts"; }
  [ $(($(calls msan) + $(calls dfsan))) = 0 ] || wrong "$target has MemorySanitizer or DataFlowSanitizer"
  if [ "$SANITIZER" = address ]; then
    [ "$(calls asan)" -ge 1000 ] || wrong "$target: $(calls asan) calls of AddressSanitizer, expected at least 1000"
    [ "$(calls ubsan)" -le 200 ] || wrong "$target: $(calls ubsan) calls of UndefinedBehaviorSanitizer, expected at most 200"
  else
    [ "$(calls ubsan)" -ge 1 ] || wrong "$target has no UndefinedBehaviorSanitizer"
    [ "$(calls asan)" = 0 ] || wrong "$target has AddressSanitizer, too"
  fi
}

check_libfuzzer() {
  local counters count
  run_fuzzer "$target" -seed=1337 -runs=4 || failed "$target crashes at start"
  grep -q 'Done 4 runs' "$scratch/run" || failed "$target does not run four times"
  counters=$(sed -nE 's/^INFO: Loaded [0-9]+ modules +\(([0-9]+) inline 8-bit counters\).*/\1/p' "$scratch/run")
  [ "${counters:-0}" -ge 1000 ] || failed "$target: ${counters:-0} coverage counters, expected at least 1000"
  : >"$scratch/empty"
  run_fuzzer "$target" "$scratch/empty" || failed "$target crashes on an empty file"
  grep -q "^Executed $scratch/empty" "$scratch/run" || failed "$target does not replay a file"
  count=$(find "$seeds" -type f | wc -l)
  run_fuzzer "$target" -seed=1 -runs=$((count + 400)) "$seeds" || failed "$target crashes on its seeds or soon after"
}

# This build lacks the coverage that libFuzzer uses, so it only merges. OSS-Fuzz passes no other
# options.
check_coverage() {
  local profile=$scratch/$target.profraw
  mkdir -p "$scratch/none"
  LLVM_PROFILE_FILE=$profile "$out/$target" -merge=1 -timeout=100 "$scratch/none" "$seeds" </dev/null >"$scratch/run" 2>&1 ||
    failed "$target does not merge"
  [ -s "$profile" ] || wrong "$target writes no profile"
  "$llvm/llvm-profdata" merge -sparse "$profile" -o "$scratch/$target.profdata"
  "$llvm/llvm-cov" export -summary-only -instr-profile="$scratch/$target.profdata" -object="$out/$target" >"$scratch/$target.json"
  python3 - "$scratch/$target.json" <<'END' || wrong "$target: no coverage of the files of targets"
import json, sys
files = json.load(open(sys.argv[1]))["data"][0]["files"]
sys.exit(0 if any(f["summary"]["lines"]["covered"] > 0 for f in files if "/fuzz/targets/" in f["filename"]) else 1)
END
}

for target in "$@"; do
  seeds=$scratch/seeds/$target
  check_libraries
  check_files
  if [ "$SANITIZER" = coverage ]; then
    check_coverage
  else
    check_sanitizer
    if [ "$FUZZING_ENGINE" = afl ]; then
      "$here/../afl/afl_run.sh" "$out/$target" "$seeds" "$out/$target.dict" "$scratch/afl"
    else
      check_libfuzzer
    fi
  fi
  echo "$target ($FUZZING_ENGINE, $SANITIZER): good"
done

# SPDX-License-Identifier: Apache-2.0
# Shared by the programs of campaign_test.cc. Parses the options of libFuzzer into variables:
# `mode`, `prefix`, `exact`, `control`, `limit`; `first` and `second` are files or folders. Defines
# how a program starts, fails and ends.
mode=replay
for word; do
  case $word in
    -artifact_prefix=*) prefix=${word#*=} ;;
    -max_total_time=*) [ $mode = replay ] && mode=slice ;;
    -merge=1) mode=merge ;;
    -minimize_crash=1) mode=minimise ;;
    -exact_artifact_path=*) exact=${word#*=} ;;
    -merge_control_file=*) control=${word#*=} ;;
    -rss_limit_mb=*) limit=${word#*=} ;;
    -*) ;;
    *) if [ -n "$first" ]; then second=${second:-$word}; else first=$word; fi ;;
  esac
done

fail() {  # INPUT SENTENCE. The input is written at once: another run may read it, and this one may be killed.
  [ $mode = slice ] && printf '%s' "$1" > "${prefix%/*}.$$" && mv "${prefix%/*}.$$" "${prefix}crash-$1"
  echo "FOUND: $2: '$1' at 7"
  echo "==1== ERROR: libFuzzer: deadly signal"
  [ $mode = slice ] && echo "artifact_prefix='$prefix'; Test unit written to ${prefix}crash-$1"
  echo "Base64: $(printf '%s' "$1" | base64)"
  exit 77
}

starts() {
  [ $mode = slice ] && printf '#2\tINITED cov: 10 ft: 20 corp: 1/1b exec/s: 0 rss: 1Mb\n'
}

ends() {
  [ $mode = slice ] && echo "stat::number_of_executed_units: 100"
  exit 0
}

keep() {  # FILE..: what a merge keeps
  cp "$@" "$first"
  exit 0
}

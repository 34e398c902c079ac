# SPDX-License-Identifier: Apache-2.0
# Shared by the programs of campaign_test.py. Parses the options of libFuzzer into variables: `mode`
# (slice: it fuzzes), `prefix`, `exact`, `limit`; `first` and `second` are files or folders.
# Defines how a program starts, fails and ends. With -fork, it is run again and again as a job.
mode=replay
for word; do
  case $word in
    -artifact_prefix=*) prefix=${word#*=} ;;
    -max_total_time=*) [ $mode = replay ] && mode=slice; seconds=${word#*=} ;;
    -fork=*) mode=fork ;;
    -merge=1) mode=merge ;;
    -minimize_crash=1) mode=minimise ;;
    -exact_artifact_path=*) exact=${word#*=} ;;
    -rss_limit_mb=*) limit=${word#*=} ;;
    -*) ;;
    *) if [ -n "$first" ]; then second=${second:-$word}; else first=$word; fi ;;
  esac
done

fail() {  # INPUT SENTENCE. The input is written at once: another run may read it, and this one may be killed.
  [ $mode = slice ] && printf '%s' "$1" > "scratch/$$" && mv "scratch/$$" "${prefix}crash-$1"
  echo "FOUND: $2: '$1' at 7"
  echo "==1== ERROR: libFuzzer: deadly signal"
  [ $mode = slice ] && echo "artifact_prefix='$prefix'; Test unit written to ${prefix}crash-$1"
  echo "Base64: $(printf '%s' "$1" | base64)"
  exit 77
}

starts() {  # and keeps an input
  [ $mode = slice ] && echo > "$first/started" && printf '#2\tINITED cov: 10 ft: 20 corp: 1/1b exec/s: 0 rss: 1Mb\n'
}

ends() {
  [ $mode = slice ] && echo "stat::number_of_executed_units: 100"
  exit 0
}

keep() {  # FILE..: what a merge keeps
  cp "$@" "$first" 2>/dev/null && echo "MERGE-OUTER: 1 new files with 20 new features added; 10 new coverage edges"
  exit 0
}

if [ $mode = fork ]; then
  folder=$TMPDIR/libFuzzerTemp.FuzzWithFork$$.dir
  mkdir "$folder"
  end=$(($(date +%s) + seconds)) runs=0 failures=0 features=20
  while :; do
    output=$("$0" -max_total_time=1 "-artifact_prefix=$prefix" "-rss_limit_mb=$limit" $first $second 2>&1) || failures=$((failures + 1))
    case $output in *units:*) runs=$((runs + 100)) ;; *) runs=$((runs + 1)) ;; esac
    printf '%s\n' "$output" | grep ERROR:
    echo "#$runs: cov: 99 ft: $features corp: $(ls kept | wc -l) exec/s 7 oom/timeout/crash: 0/0/$failures time: 1s job: 1 dft_time: 0"
    case $output in *"ft: 25"*) features=25 ;; esac
    [ -e "$folder/STOP" ] || [ "$(date +%s)" -ge $end ] && break
  done
  rm -r "$folder"
  exit 0
fi

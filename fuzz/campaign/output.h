// What a libFuzzer program says, as values.
//
//     #1234	NEW    cov: 812 ft: 2345 corp: 99/12Kb lim: 58 exec/s: 345 rss: 88Mb ..
//     #1500	DONE   cov: 812 ft: 2345 corp: 99/12Kb ..
//     stat::number_of_executed_units: 1500
//     artifact_prefix='found/'; Test unit written to found/crash-0a1b..
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace tileproof::campaign {

// What was read of one run of a program so far.
struct Output {
  bool started = false;  // it got to its inputs
  int64_t executions = 0;
  std::optional<int64_t> edges_at_start;  // with the inputs it was given
  int64_t edges = 0;
  int64_t features = 0;
  int64_t features_at_start = 0;
  int64_t new_inputs = 0;
  std::vector<std::string> artifacts;  // as written: paths
  // What is no progress, 64 KiB at most: before a failure the end; of a failure, which may have a
  // long stack, the beginning and the end.
  std::string log;
  bool failing = false;  // the log tells a failure
};

// Takes in one line.
void read_line(absl::string_view line, Output& output);

}  // namespace tileproof::campaign

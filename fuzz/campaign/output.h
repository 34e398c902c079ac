// SPDX-License-Identifier: Apache-2.0
// The output of a libFuzzer program, as values.
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

// The output of one run so far.
struct Output {
  bool started = false;  // it began to run inputs
  int64_t executions = 0;
  std::optional<int64_t> edges_at_start;  // after the initial inputs
  int64_t edges = 0;
  int64_t features = 0;
  int64_t features_at_start = 0;
  int64_t new_inputs = 0;
  std::vector<std::string> artifacts;  // paths, as printed
  // All lines but progress, at most 64 KiB. Before a failure it keeps the end. Of a failure, whose
  // stack may be long, it keeps the beginning and the end.
  std::string log;
  bool failing = false;  // the log reports a failure
};

// Reads one line.
void read_line(absl::string_view line, Output& output);

}  // namespace tileproof::campaign

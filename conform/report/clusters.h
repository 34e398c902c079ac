// SPDX-License-Identifier: Apache-2.0
// Groups the failures of a report by their cause.
//
//     70 failures of map.simplify, of 5 causes, are 5 clusters; the report shows one example of
//     each, at its smallest, with the number of failures
//
// Failures belong to one cluster if cause_of() returns the same line. The example is the failure
// with the smallest request. Wrong results and crashes come before the verdicts `error` and
// `protocol`. Of these, clusters whose examples have numbers of ordinary size come first, and
// those that need numbers near 2^63 come last; then arrays with elements come before empty ones,
// the place of an element before the sizes of a layout, and short examples before long ones.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "conform/report/report.h"

namespace tileproof::conform {

struct Cluster {
  std::string cause;
  std::vector<size_t> failures;  // keys of Report::failures; at least one
  size_t example = 0;            // one of them
  bool expected = false;         // all of them are expected to fail
};

std::vector<Cluster> clusters_of(const Report& report);

// 16 hexadecimal digits: a hash of the cause, the same in every run.
std::string cause_id(const std::string& cause);

}  // namespace tileproof::conform

// SPDX-License-Identifier: Apache-2.0
// Helpers for tests that run the whole judge.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "conform/report/report.h"
#include "conform/run/conform.h"
#include "corpus/paths.h"
#include "gtest/gtest.h"

namespace tileproof::conform {

inline Report report_of(const ConformOptions& options) {
  absl::StatusOr<Report> report = conform(options);
  EXPECT_TRUE(report.ok()) << report.status();
  return report.ok() ? *std::move(report) : Report();
}

inline int64_t count(const Report& report, Verdict verdict) {
  return std::count_if(report.records.begin(), report.records.end(),
                       [verdict](const Record& record) { return record.verdict == verdict; });
}

// Runs of the judge on programs that each deserve a certain verdict (testdata/misbehave.cc).

inline ConformOptions options_for(const std::string& mode, int64_t count = 60) {
  ConformOptions options;
  options.command = {build_path("bin/misbehave"), mode};
  options.suites = {suite_named("layout")};
  options.count = count;
  options.timeout = Milliseconds(3000);  // the machine may be busy
  return options;
}

inline int64_t count(const Report& report, const std::string& op) {
  return std::count_if(report.records.begin(), report.records.end(),
                       [&](const Record& record) { return report.op_of(record) == op; });
}

inline const Failure& first_failure(const Report& report) {
  return report.failures.begin()->second;
}

// The example of the first cluster.
inline Failure first_shrunk(const Report& report) {
  for (const Cluster& cluster : clusters_of(report)) {
    const Failure& failure = report.failures.at(cluster.example);
    if (failure.smallest) return failure;
  }
  ADD_FAILURE() << "no failure was shrunk";
  return {};
}

}  // namespace tileproof::conform

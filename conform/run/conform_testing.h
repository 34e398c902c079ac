// SPDX-License-Identifier: Apache-2.0
// Helpers for tests that run the whole judge.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "conform/run/conform.h"
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

}  // namespace tileproof::conform

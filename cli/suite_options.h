// SPDX-License-Identifier: Apache-2.0
// Options shared by the commands that work on suites.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "conform/protocol/subprocess.h"
#include "conform/report/report.h"
#include "conform/suites/suites.h"

namespace tileproof::cli {

// The suite of that name. The error for an unknown name lists all suites.
absl::StatusOr<const conform::Suite*> suite_option(const std::string& name);

// "layout, parse"
std::string suite_names();

// A seed: an integer from 0 to 2^64 - 1.
absl::StatusOr<uint64_t> seed_option(const std::string& text);

// A time of at least a millisecond (cli/verbs/time_text.h). A number alone is seconds.
absl::StatusOr<conform::Milliseconds> time_option(const std::string& text);

// Prints a report, as text or as JSON, and returns the exit status. `brief`: see conform/report/report.h.
int print_report(const conform::Report& report, bool json, bool brief);

inline constexpr char kBrief[] =
    "print only the first causes with the answer, the right one and why; a line for each other one";

}  // namespace tileproof::cli

// SPDX-License-Identifier: Apache-2.0
// What the commands about the protocol and its suites share: options, reports, and lines that are
// answered. Their source also has generate, judge and respond.
#pragma once

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "cli/arguments.h"
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

// Prints a report, as text or (--json) as JSON, and returns the exit status. --brief: see
// conform/report/report.h.
int print_report(const conform::Report& report, const Command& given);

// Answers every line received so far, and writes the answers to the descriptor before it waits for
// more. A line of more than 16 MiB is answered with an error. Returns the exit status.
int answer_lines(const std::string& command, int output,
                 absl::FunctionRef<std::string(absl::string_view)> answer);

}  // namespace tileproof::cli

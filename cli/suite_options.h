// Options that the commands about suites share.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "verify/report.h"
#include "verify/subprocess.h"
#include "verify/suites.h"

namespace tileproof::cli {

// The suite of that name. An error lists those there are.
absl::StatusOr<const verify::Suite*> suite_option(const std::string& name);

// "layout, parse"
std::string suite_names();

// A time: "30" and "30s" are seconds, also "500ms", "2m", "1h". At least a millisecond.
absl::StatusOr<verify::Milliseconds> time_option(const std::string& text);

// Prints a report, as text or as JSON, and gives the exit status.
int print_report(const verify::Report& report, bool json);

}  // namespace tileproof::cli

// What the commands share: reading arguments, printing errors.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace tileproof::cli {

// An argument of the command line as a text: "@FILE" is the content of FILE, "-" all of standard
// input, else itself.
absl::StatusOr<std::string> read_argument(const std::string& argument);

// Prints "tileproof: <what>: <message>" on standard error, and gives the exit status for bad input.
int complain(const std::string& what, const absl::Status& status);

}  // namespace tileproof::cli

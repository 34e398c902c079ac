// What the commands share: reading arguments, printing errors.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "spec/lang/hlo.h"

namespace tileproof::cli {

// An argument of the command line as a text: "@FILE" is the content of FILE, "-" all of standard
// input, else itself.
absl::StatusOr<std::string> read_argument(const std::string& argument);

// The modules of a file of HLO; it may be named FILE or @FILE, be "-", or the text itself, which
// unlike a name has an instruction in it.
absl::StatusOr<std::vector<HloModule>> read_modules(const std::string& file);

// Prints "tileproof: <what>: <message>" on standard error, and gives the exit status for bad input.
int complain(const std::string& what, const absl::Status& status);

}  // namespace tileproof::cli

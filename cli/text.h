// What the commands share: reading arguments, printing errors.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/lang/hlo/hlo.h"

namespace tileproof::cli {

// An argument of the command line as a text: "@FILE" is the content of FILE, "-" all of standard
// input, else itself.
absl::StatusOr<std::string> read_argument(const std::string& argument);

// The modules of a file of HLO; it may be named FILE or @FILE, be "-", or the text itself, which
// unlike a name has an instruction in it.
absl::StatusOr<std::vector<HloModule>> read_modules(const std::string& file);

// An instruction that is asked about: the one of that name, or, without a name, the root of the
// entry. Errors: several modules; no instruction of that name, or several. The modules must outlive
// it.
struct Asked {
  const HloModule& module;
  int32_t computation;
  int32_t instruction;
};
absl::StatusOr<Asked> find_asked(const std::vector<HloModule>& modules, absl::string_view name);

// Prints "tileproof: <what>: <message>" on standard error, and gives the exit status for bad input.
int complain(const std::string& what, const absl::Status& status);

}  // namespace tileproof::cli

// SPDX-License-Identifier: Apache-2.0
// Makes man pages and shell completion from the declarations of the commands.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cli/arguments.h"

namespace tileproof::cli {

// tileproof(1) if `command` is null; otherwise the page of the command, such as tileproof-layout(1).
std::string man_page(const Program& program, const CommandDeclaration* command);

// A script for bash, zsh or fish. Error: another shell.
absl::StatusOr<std::string> completion_script(const Program& program, const std::string& shell);

// Writes all of them below `folder`, at the places where an installation has them under share/.
absl::Status write_pages(const Program& program, const std::string& folder);

}  // namespace tileproof::cli

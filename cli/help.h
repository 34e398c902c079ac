// SPDX-License-Identifier: Apache-2.0
// The pages of help, made from the declarations of the commands: what `tileproof`, `tileproof help
// COMMAND` and `tileproof COMMAND --help` print. Examples come first.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "cli/arguments.h"

namespace tileproof::cli {

// What a status of the program means. The pages of help and the man pages print it.
struct ExitStatus {
  int status;
  std::string meaning;  // "it holds"
};
const std::vector<ExitStatus>& exit_statuses();

// The page of the program: examples, and a list of the commands.
std::string help_page(const Program& program);

// The page of a command: examples, usage, arguments and options.
std::string help_page(const Program& program, const CommandDeclaration& command);

// "tileproof layout [OPTIONS] [LAYOUT]"
std::string usage(const Program& program, const CommandDeclaration& command);

// What follows the name of an option: " N", " PATH", " a|b"; "" for a flag.
std::string value_of(const OptionDeclaration& option);

// Makes man pages and shell completion from the declarations of the commands.

// tileproof(1) if `command` is null; otherwise the page of the command, such as tileproof-layout(1).
std::string man_page(const Program& program, const CommandDeclaration* command);

// A script for bash, zsh or fish. Error: another shell.
absl::StatusOr<std::string> completion_script(const Program& program, const std::string& shell);

// Writes all of them below `folder`, at the places where an installation has them under share/.
absl::Status write_pages(const Program& program, const std::string& folder);

}  // namespace tileproof::cli

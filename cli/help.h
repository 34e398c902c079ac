// SPDX-License-Identifier: Apache-2.0
// The pages of help, made from the declarations of the commands: what `tileproof`, `tileproof help
// COMMAND` and `tileproof COMMAND --help` print. Examples come first.
#pragma once

#include <string>
#include <vector>

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

}  // namespace tileproof::cli

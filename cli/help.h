// SPDX-License-Identifier: Apache-2.0
// The pages of help, made from the declarations of the commands: what `tileproof`, `tileproof help
// COMMAND` and `tileproof COMMAND --help` print. Examples come first.
#pragma once

#include <string>

#include "cli/arguments.h"

namespace tileproof::cli {

// The page of the program: examples, and a list of the commands.
std::string help_page(const Program& program);

// The page of a command: examples, usage, arguments and options.
std::string help_page(const Program& program, const CommandDeclaration& command);

}  // namespace tileproof::cli

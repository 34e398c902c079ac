// SPDX-License-Identifier: Apache-2.0
// tileproof help, and the hidden commands for shells and packages.
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/shell_pages.h"
#include "cli/text.h"
#include "conform/protocol/json.h"

namespace tileproof::cli {
namespace {

int help(const Program& program, const std::string& name) {
  if (name.empty()) {
    std::cout << help_page(program);
    return kHolds;
  }
  const CommandDeclaration* command = program.find(name);
  if (command == nullptr) {
    return complain("help",
                    absl::NotFoundError(absl::StrCat("no command '", conform::shown(name, 40), "'",
                                                     program.meant_command(name))));
  }
  std::cout << help_page(program, *command);
  return kHolds;
}

int completion(const Program& program, const std::string& shell) {
  const absl::StatusOr<std::string> script = completion_script(program, shell);
  if (!script.ok()) return complain("completion", script.status());
  std::cout << *script;
  return kHolds;
}

int pages(const Program& program, const std::string& folder) {
  const absl::Status written = write_pages(program, folder);
  return written.ok() ? kHolds : complain("pages", written);
}

std::vector<std::string> visible_commands(const Program& program) {
  std::vector<std::string> names;
  for (const CommandDeclaration& command : program.commands()) {
    if (!command.is_hidden) names.push_back(command.name);
  }
  return names;
}

}  // namespace

void add_help_commands(Program& program) {
  auto argument = std::make_shared<std::string>();
  program.example("tileproof layout 'bf16[3,5]{1,0:T(2,4)(2,1)}'",
                  "where the elements of a tiled layout are");
  program.example("tileproof equiv 'f32[128,256]{1,0:T(8,128)}' 'f32[128,256]{1,0}'",
                  "are two layouts or indexing maps the same? If not, where do they differ?");
  program.example("tileproof map --verify module.hlo",
                  "the indexing maps of an HLO module, each proven");
  program.example("tileproof conform -- ./my_implementation",
                  "judge an implementation; show the smallest question that it gets wrong");

  Command help_command = program.command("help", "Show the examples and the options of a command");
  help_command.hide();
  help_command.option("COMMAND", *argument, "a command; none for the list of commands")
      .such_as(visible_commands(program));
  help_command.run([&program, argument] { return help(program, *argument); });

  Command completion_command =
      program.command("completion", "Print the script that completes arguments in a shell");
  completion_command.hide();
  completion_command.example("source <(tileproof completion bash)", "complete in this shell");
  completion_command.option("SHELL", *argument, "bash, zsh or fish")
      .required()
      .such_as({"bash", "zsh", "fish"});
  completion_command.run([&program, argument] { return completion(program, *argument); });

  Command pages_command = program.command(
      "pages", "Write the man pages and the completion scripts below a folder, as packages need");
  pages_command.hide();
  pages_command.option("FOLDER", *argument, "the folder that stands for /usr/share")
      .required()
      .folder();
  pages_command.run([&program, argument] { return pages(program, *argument); });
}

}  // namespace tileproof::cli

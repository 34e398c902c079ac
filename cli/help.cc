// SPDX-License-Identifier: Apache-2.0
#include "cli/help.h"

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/text.h"
#include "conform/protocol/json.h"
#include "spec/lang/base/try.h"

namespace tileproof::cli {
namespace {

constexpr size_t kTextColumn = 24;
constexpr size_t kWidth = 100;

// What a status of the program means.
struct ExitStatus {
  int status;
  const char* meaning;
};

constexpr ExitStatus kExitStatuses[] = {
    {kHolds, "it holds"},
    {kCounterexample, "a counterexample was found"},
    {kBadInput, "the input or the call is wrong, or nothing was checked"},
    {kUndecided, "undecided within the time given"},
    {kInternal, "an internal failure"}};

// What follows the name of an option: " N", " PATH", " a|b"; "" for a flag.
std::string value_of(const OptionDeclaration& option) {
  if (option.is_flag) return "";
  if (!option.words.empty() && option.only_words) {
    return absl::StrCat(" ", absl::StrJoin(option.words, "|"));
  }
  return absl::StrCat(" ", option.value);
}

// "tileproof layout [OPTIONS] [LAYOUT]"
std::string usage(const Program& program, const CommandDeclaration& command) {
  std::string text = absl::StrCat(program.name(), " ", command.name, " [OPTIONS]");
  for (const OptionDeclaration& option : command.options) {
    if (!option.is_positional()) continue;
    const std::string name = absl::StrCat(option.name, option.is_list ? " .." : "");
    absl::StrAppend(&text, " ", option.is_required ? name : absl::StrCat("[", name, "]"));
  }
  return text;
}

// "  NAME      what it does", with further lines below the first one.
std::string entry(const std::string& name, const std::string& what) {
  std::string text = absl::StrCat("  ", name);
  size_t column = text.size();
  if (column + 2 > kTextColumn) {
    text += "\n";
    column = 0;
  }
  for (absl::string_view word : absl::StrSplit(what, ' ')) {
    if (column > kTextColumn && column + 1 + word.size() > kWidth) {
      text += "\n";
      column = 0;
    }
    const size_t spaces = column < kTextColumn ? kTextColumn - column : 1;
    absl::StrAppend(&text, std::string(spaces, ' '), word);
    column += spaces + word.size();
  }
  return text + "\n";
}

std::string shown(const std::vector<Example>& examples) {
  std::string text = examples.empty() ? "" : "Examples:\n";
  for (const Example& example : examples) {
    absl::StrAppend(&text, "  ", example.command, "\n      ", example.what, "\n");
  }
  return text.empty() ? text : text + "\n";
}

std::string described(const OptionDeclaration& option) {
  if (option.shown_default.empty()) return option.what;
  return absl::StrCat(option.what, " (default: ", option.shown_default, ")");
}

// "Exit status: 0 it holds, 1 ..", in several lines.
std::string exit_status_text() {
  std::string text = "Exit status:";
  size_t column = text.size();
  for (const ExitStatus& one : kExitStatuses) {
    const std::string part =
        absl::StrCat(one.status, " ", one.meaning, &one == std::end(kExitStatuses) - 1 ? "." : ",");
    const bool fits = column + 1 + part.size() <= kWidth;
    absl::StrAppend(&text, fits ? " " : "\n  ", part);
    column = (fits ? column + 1 : 2) + part.size();
  }
  return text + "\n";
}

// Text of a man page: a line must not begin with a dot or a quote, and '-' must stay as typed.
std::string roff(absl::string_view text) {
  const std::string escaped = absl::StrReplaceAll(text, {{"\\", "\\e"}, {"-", "\\-"}});
  const bool is_request = absl::StartsWith(escaped, ".") || absl::StartsWith(escaped, "'");
  return absl::StrCat(is_request ? "\\&" : "", escaped);
}

std::string roff_examples(const std::vector<Example>& examples) {
  std::string text = examples.empty() ? "" : ".SH EXAMPLES\n";
  for (const Example& example : examples) {
    absl::StrAppend(&text, ".TP\n.B ", roff(example.command), "\n", roff(example.what), "\n");
  }
  return text;
}

// Text in single quotes, for every shell.
std::string single_quoted(absl::string_view text) {
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"'", "'\\''"}}), "'");
}

// Fish reads \ and ' inside of single quotes.
std::string quoted_for_fish(absl::string_view text) {
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"'", "\\'"}}), "'");
}

std::vector<std::string> visible_names(const Program& program) {
  std::vector<std::string> names;
  for (const CommandDeclaration& command : program.commands()) {
    if (!command.is_hidden) names.push_back(command.name);
  }
  return names;
}

std::string bash_script(const Program& program) {
  std::string values, options, words;
  for (const CommandDeclaration& command : program.commands()) {
    std::vector<std::string> names = {"--help"};
    for (const OptionDeclaration& option : command.options) {
      const std::string known = absl::StrJoin(option.words, " ");
      if (!option.is_positional()) names.push_back(option.name);
      if (known.empty()) continue;
      if (option.is_positional()) {
        absl::StrAppend(&words, "    ", command.name, ") words='", known, "' ;;\n");
      } else {
        absl::StrAppend(&values, "    '", command.name, " ", option.name, "') words='", known,
                        "' ;;\n");
      }
    }
    absl::StrAppend(&options, "      ", command.name, ") words='", absl::StrJoin(names, " "),
                    "' ;;\n");
  }
  const std::string name = program.name();
  return absl::StrCat("# Completion of ", name, " for bash. Made by `", name,
                      " completion bash`.\n_", name, R"(() {
  local word=${COMP_WORDS[COMP_CWORD]} words=
  COMPREPLY=()
  if [ "$COMP_CWORD" = 1 ]; then
    words=')",
                      absl::StrJoin(visible_names(program), " "), R"( help --help --version'
  elif [[ $word == -* ]]; then
    case ${COMP_WORDS[1]} in
)",
                      options, R"(    esac
  else
    case ${COMP_WORDS[1]} in
)",
                      words, R"(    esac
    case "${COMP_WORDS[1]} ${COMP_WORDS[COMP_CWORD - 1]}" in
)",
                      values, R"(    esac
  fi
  [ -z "$words" ] || mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -o default -F _)",
                      name, " ", name, "\n");
}

// "'--index[the offset of ..]:TEXT:'" for _arguments.
std::string zsh_option(const OptionDeclaration& option) {
  const std::string what =
      absl::StrReplaceAll(option.what, {{"\\", "\\\\"}, {"[", "\\["}, {"]", "\\]"}, {":", "\\:"}});
  std::string action = "_files";
  if (!option.words.empty()) action = absl::StrCat("(", absl::StrJoin(option.words, " "), ")");
  if (option.is_positional()) return single_quoted(absl::StrCat("*:", option.name, ":", action));
  const std::string value = option.is_flag ? "" : absl::StrCat(":", option.value, ":", action);
  return single_quoted(absl::StrCat(option.is_list ? "*" : "", option.name, "[", what, "]", value));
}

std::string zsh_script(const Program& program) {
  std::string commands, cases;
  for (const CommandDeclaration& command : program.commands()) {
    if (!command.is_hidden || command.name == "help") {
      absl::StrAppend(&commands, "      ",
                      single_quoted(absl::StrCat(command.name, ":", command.what)), "\n");
    }
    // _arguments takes one rule for all further arguments: that of the last positional one.
    std::string options, rest;
    for (const OptionDeclaration& option : command.options) {
      if (option.is_positional()) {
        rest = absl::StrCat(" \\\n        ", zsh_option(option));
      } else {
        absl::StrAppend(&options, " \\\n        ", zsh_option(option));
      }
    }
    absl::StrAppend(&cases, "    ", command.name, ")\n      _arguments '--help[print help]'",
                    options, rest, "\n      ;;\n");
  }
  const std::string name = program.name();
  return absl::StrCat("#compdef ", name, "\n# Made by `", name, " completion zsh`.\n_", name,
                      R"(() {
  if (( CURRENT == 2 )); then
    local -a commands=(
)",
                      commands, R"(    )
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
)",
                      cases, "  esac\n}\n_", name, " \"$@\"\n");
}

std::string fish_script(const Program& program) {
  const std::string name = program.name();
  std::string text =
      absl::StrCat("# Completion of ", name, " for fish. Made by `", name, " completion fish`.\n");
  for (const CommandDeclaration& command : program.commands()) {
    if (!command.is_hidden || command.name == "help") {
      absl::StrAppend(&text, "complete -c ", name, " -f -n __fish_use_subcommand -a ", command.name,
                      " -d ", quoted_for_fish(command.what), "\n");
    }
    const std::string after =
        absl::StrCat("complete -c ", name, " -n '__fish_seen_subcommand_from ", command.name, "'");
    for (const OptionDeclaration& option : command.options) {
      const std::string words = absl::StrJoin(option.words, " ");
      const std::string known = words.empty() ? "" : absl::StrCat(" -f -a '", words, "'");
      if (option.is_positional()) {
        if (!known.empty()) absl::StrAppend(&text, after, known, "\n");
        continue;
      }
      absl::StrAppend(&text, after, " -l ", option.name.substr(2), option.is_flag ? "" : " -r",
                      known, " -d ", quoted_for_fish(option.what), "\n");
    }
  }
  return text;
}

absl::Status write_page(const std::filesystem::path& path, const std::string& text) {
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  std::ofstream file(path);
  file << text;
  if (file.flush()) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat("cannot write ", path.string()));
}

// tileproof(1) if `command` is null; otherwise the page of the command, such as tileproof-layout(1).
std::string man_page(const Program& program, const CommandDeclaration* command) {
  const std::string name =
      command == nullptr ? program.name() : absl::StrCat(program.name(), "-", command->name);
  std::string text = absl::StrCat(".TH ", name, " 1 \"\" \"", program.name(), " ",
                                  program.version(), "\"\n.SH NAME\n", roff(name), " \\- ",
                                  roff(command == nullptr ? program.what() : command->what), "\n");
  const std::string synopsis = command == nullptr
                                   ? absl::StrCat(program.name(), " COMMAND [ARGUMENT ..]")
                                   : usage(program, *command);
  absl::StrAppend(&text, ".SH SYNOPSIS\n.B ", roff(synopsis), "\n",
                  roff_examples(command == nullptr ? program.examples() : command->examples));
  if (command == nullptr) {
    text += ".SH COMMANDS\n";
    for (const CommandDeclaration& each : program.commands()) {
      if (each.is_hidden) continue;
      absl::StrAppend(&text, ".TP\n.BR ", program.name(), "\\-", each.name, " (1)\n",
                      roff(each.what), "\n");
    }
  } else {
    text += ".SH OPTIONS\n";
    for (const OptionDeclaration& option : command->options) {
      const std::string value = option.is_positional() ? "" : value_of(option);
      absl::StrAppend(&text, ".TP\n.B ", roff(option.name + value), "\n", roff(option.what));
      if (!option.shown_default.empty()) {
        absl::StrAppend(&text, " (default: ", roff(option.shown_default), ")");
      }
      text += "\n";
    }
  }
  text += ".SH EXIT STATUS\n";
  for (const ExitStatus& one : kExitStatuses) {
    absl::StrAppend(&text, ".TP\n.B ", one.status, "\n", roff(one.meaning), "\n");
  }
  return text;
}

// tileproof help, and the hidden commands for shells and packages.

absl::StatusOr<int> help(const Program& program, const std::string& name) {
  const CommandDeclaration* command = program.find(name);
  if (command == nullptr && !name.empty()) {
    return absl::NotFoundError(
        absl::StrCat("no command '", conform::shown(name, 40), "'", program.meant_command(name)));
  }
  std::cout << (command == nullptr ? help_page(program) : help_page(program, *command));
  return kHolds;
}

absl::StatusOr<int> completion(const Program& program, const std::string& shell) {
  if (shell != "bash" && shell != "zsh" && shell != "fish")
    return invalid("expected bash, zsh or fish, found '", shell, "'");
  std::cout << (shell == "bash"  ? bash_script(program)
                : shell == "zsh" ? zsh_script(program)
                                 : fish_script(program));
  return kHolds;
}

// Man pages and completion below `folder`, at the places where an installation has them under share/.
absl::StatusOr<int> pages(const Program& program, const std::string& folder) {
  const std::filesystem::path share = folder, man = share / "man" / "man1";
  const std::string& name = program.name();
  TRY(write_page(man / (name + ".1"), man_page(program, nullptr)));
  for (const CommandDeclaration& command : program.commands()) {
    if (command.is_hidden) continue;
    TRY(write_page(man / absl::StrCat(name, "-", command.name, ".1"), man_page(program, &command)));
  }
  TRY(write_page(share / "bash-completion" / "completions" / name, bash_script(program)));
  TRY(write_page(share / "zsh" / "vendor-completions" / ("_" + name), zsh_script(program)));
  TRY(write_page(share / "fish" / "vendor_completions.d" / (name + ".fish"), fish_script(program)));
  return kHolds;
}

}  // namespace

std::string help_page(const Program& program) {
  std::string text =
      absl::StrCat(program.what(), "\n\n", shown(program.examples()), "Usage: ", program.name(),
                   " COMMAND [ARGUMENT ..]\n\nSubcommands:\n");
  for (const CommandDeclaration& command : program.commands()) {
    if (!command.is_hidden) text += entry(command.name, command.what);
  }
  return absl::StrCat(text, "\n", exit_status_text(), "\n`", program.name(),
                      " help COMMAND` shows the examples and the options of a command.\n");
}

std::string help_page(const Program& program, const CommandDeclaration& command) {
  std::string arguments, options;
  for (const OptionDeclaration& option : command.options) {
    (option.is_positional() ? arguments : options) += entry(
        option.is_positional() ? option.name : option.name + value_of(option), described(option));
  }
  options += entry("--help", "print this page");
  return absl::StrCat(command.what, "\n\n", shown(command.examples),
                      "Usage: ", usage(program, command), "\n\n",
                      arguments.empty() ? "" : absl::StrCat("Arguments:\n", arguments, "\n"),
                      "Options:\n", options, "\n", exit_status_text());
}

void add_help_commands(Program& program) {
  program.command("help")
      .words("COMMAND", visible_names(program))
      .run([&program](const Command& given) { return help(program, given.text("COMMAND")); });
  program.command("completion").run([&program](const Command& given) {
    return completion(program, given.text("SHELL"));
  });
  program.command("pages").run(
      [&program](const Command& given) { return pages(program, given.text("FOLDER")); });
}

}  // namespace tileproof::cli

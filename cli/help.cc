// SPDX-License-Identifier: Apache-2.0
#include "cli/help.h"

#include <cstddef>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "cli/commands.h"

namespace tileproof::cli {
namespace {

constexpr size_t kTextColumn = 24;
constexpr size_t kWidth = 100;

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
  for (const ExitStatus& one : exit_statuses()) {
    const std::string part =
        absl::StrCat(one.status, " ", one.meaning, &one == &exit_statuses().back() ? "." : ",");
    const bool fits = column + 1 + part.size() <= kWidth;
    absl::StrAppend(&text, fits ? " " : "\n  ", part);
    column = (fits ? column + 1 : 2) + part.size();
  }
  return text + "\n";
}

}  // namespace

const std::vector<ExitStatus>& exit_statuses() {
  static const std::vector<ExitStatus> all = {
      {kHolds, "it holds"},
      {kCounterexample, "a counterexample was found"},
      {kBadInput, "the input or the call is wrong, or nothing was checked"},
      {kUndecided, "undecided within the time given"},
      {kInternal, "an internal failure"}};
  return all;
}

std::string value_of(const OptionDeclaration& option) {
  if (option.is_flag) return "";
  if (!option.words.empty() && option.only_words) {
    return absl::StrCat(" ", absl::StrJoin(option.words, "|"));
  }
  return absl::StrCat(" ", option.value);
}

std::string usage(const Program& program, const CommandDeclaration& command) {
  std::string text = absl::StrCat(program.name(), " ", command.name, " [OPTIONS]");
  for (const OptionDeclaration& option : command.options) {
    if (!option.is_positional()) continue;
    const std::string name = absl::StrCat(option.name, option.is_list ? " .." : "");
    absl::StrAppend(&text, " ", option.is_required ? name : absl::StrCat("[", name, "]"));
  }
  return text;
}

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

}  // namespace tileproof::cli

// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments.h"

#include <algorithm>
#include <iostream>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/text.h"
#include "cli/verbs/error_text.h"
#include "cli/verbs/time_text.h"
#include "conform/protocol/json.h"
#include "spec/lang/base/nearest.h"

namespace tileproof::cli {
namespace {

// Replaces the text of a time by its milliseconds, before it is converted to a number.
std::string to_milliseconds(std::string& text) {
  const absl::StatusOr<std::chrono::milliseconds> time = read_time(text, BareTime::kMilliseconds);
  if (!time.ok()) return std::string(time.status().message());
  text = absl::StrCat(time->count());
  return "";
}

// "; did you mean '--at'?", if the command has an option of another name for the same thing.
std::string other_name(const std::string& typed, const std::vector<absl::string_view>& names) {
  constexpr std::pair<const char*, const char*> kSame[] = {{"--at", "--index"}};
  for (const auto& [one, other] : kSame) {
    const char* meant = typed == one ? other : typed == other ? one : nullptr;
    if (meant != nullptr && std::ranges::count(names, meant) > 0) {
      return absl::StrCat("; did you mean '", meant, "'?");
    }
  }
  return did_you_mean(typed, names);
}

bool is_range(const std::string& rule) { return absl::StrContains(rule, ".."); }

// Adds the option to the parser, with a variable of the kind that its rules name.
void add_option(OptionDeclaration& option, CLI::App& parser) {
  const auto is = [&](const char* rule) { return std::ranges::count(option.rules, rule) > 0; };
  option.is_flag = is("flag");
  option.is_list = is("list") || is("each");
  const bool is_number = is("number") || is("ms") || std::ranges::any_of(option.rules, is_range);
  if (option.is_flag) {
    parser.add_flag(option.name, option.given.emplace<bool>(), option.what);
  } else if (option.is_list) {
    parser.add_option(option.name, option.given.emplace<std::vector<std::string>>(), option.what);
  } else if (is_number) {
    parser.add_option(option.name, option.given.emplace<int64_t>(), option.what);
  } else if (is("share")) {
    parser.add_option(option.name, option.given.emplace<double>(), option.what);
  } else {
    parser.add_option(option.name, std::get<std::string>(option.given), option.what);
  }
  option.value = is_number ? "N" : "TEXT";
}

}  // namespace

OptionDeclaration& Command::option(const std::string& name) const {
  const auto found = std::ranges::find(declared_->options, name, &OptionDeclaration::name);
  if (found == declared_->options.end()) throw CLI::OptionNotFound(name);
  return *found;
}

Command& Command::words(const std::string& name, std::vector<std::string> words) {
  OptionDeclaration& declared = option(name);
  declared.what = absl::StrReplaceAll(declared.what, {{"{words}", absl::StrJoin(words, ", ")}});
  declared.words = std::move(words);
  return *this;
}

Command& Command::initial(const std::string& name, const std::string& value) {
  option(name).given = value;
  return *this;
}

bool Command::has(const std::string& option) const { return parser_->count(option) > 0; }

// A rule of commands.txt.
void Command::apply(const std::string& rule, OptionDeclaration& declared) {
  CLI::Option& parsed = *parser_->get_option(declared.name);
  absl::string_view rest = rule;
  if (rule == "flag" || rule == "list" || rule == "number" || rule == "share") return;
  if (rule == "required") {
    parsed.required();
    declared.is_required = true;
  } else if (absl::ConsumePrefix(&rest, "default:")) {
    declared.shown_default = std::string(rest);
    auto* number = std::get_if<int64_t>(&declared.given);
    if (number == nullptr || !absl::SimpleAtoi(rest, number)) declared.given = std::string(rest);
  } else if (rule == "default") {
    declared.shown_default = std::get<std::string>(declared.given);
  } else if (rule == "each") {
    parsed.allow_extra_args(false);
  } else if (rule == "ms") {
    parsed.transform(CLI::Validator(to_milliseconds, ""));
    apply("TIME", declared);
  } else if (is_range(rule)) {
    const size_t dots = rule.find("..");
    parsed.check(CLI::Range(static_cast<int64_t>(std::stoll(rule.substr(0, dots))),
                            static_cast<int64_t>(std::stoll(rule.substr(dots + 2)))));
  } else if (absl::ConsumePrefix(&rest, "such:")) {
    declared.words = absl::StrSplit(rest, ',');
  } else if (absl::ConsumePrefix(&rest, "only")) {
    if (absl::ConsumePrefix(&rest, ":")) declared.words = absl::StrSplit(rest, ',');
    parsed.check(CLI::IsMember(declared.words));
    declared.only_words = true;
  } else if (absl::ConsumePrefix(&rest, "without:")) {
    for (const absl::string_view other : absl::StrSplit(rest, ',')) {
      parsed.excludes(parser_->get_option(std::string(other)));
    }
  } else if (absl::ConsumePrefix(&rest, "with:")) {
    for (const absl::string_view other : absl::StrSplit(rest, ',')) {
      parsed.needs(parser_->get_option(std::string(other)));
    }
  } else {
    parsed.type_name(rule);
    declared.value = rule;
  }
}

void Command::run(std::function<absl::StatusOr<int>(const Command&)> action) {
  for (OptionDeclaration& option : declared_->options) add_option(option, *parser_);
  for (OptionDeclaration& option : declared_->options) {
    for (const std::string& rule : option.rules) apply(rule, option);
  }
  declared_->run = [given = *this, action = std::move(action)] {
    const absl::StatusOr<int> status = action(given);
    return status.ok() ? *status : complain(given.declared_->name, status.status());
  };
}

void Command::answer(std::function<absl::StatusOr<Answer>(const Command&)> action, int too_large) {
  run([action = std::move(action), too_large](const Command& given) -> absl::StatusOr<int> {
    const absl::StatusOr<Answer> answer = action(given);
    if (answer.ok()) return print(*answer, given.flag("--json"));
    if (!absl::IsResourceExhausted(answer.status())) return answer.status();
    complain(given.declared_->name, answer.status());
    return too_large;
  });
}

Program::Program(const std::string& version, absl::string_view declarations) : version_(version) {
  std::deque<OptionDeclaration> shared;
  for (absl::string_view line : absl::StrSplit(declarations, '\n')) {
    if (line.empty() || line[0] == '#') continue;
    std::vector<std::string> fields = absl::StrSplit(line, '\t');
    const bool is_short = fields.size() == 1;
    fields.resize(3);
    const std::string &kind = fields[0], &middle = fields[1], &what = fields[2];
    if (kind == "program") {
      name_ = middle;
      what_ = what;
    } else if (kind == "command" || kind == "hidden") {
      commands_.push_back({.name = middle, .what = what, .is_hidden = kind == "hidden"});
    } else if (kind == "example") {
      (commands_.empty() ? examples_ : commands_.back().examples).push_back({middle, what});
    } else if (is_short) {
      const auto known = std::ranges::find(shared, kind, &OptionDeclaration::name);
      if (known == shared.end()) throw CLI::OptionNotFound(kind);
      commands_.back().options.push_back(*known);
    } else {
      OptionDeclaration option{.name = kind, .what = what};
      option.rules = absl::StrSplit(middle, ' ', absl::SkipEmpty());
      (commands_.empty() ? shared : commands_.back().options).push_back(std::move(option));
    }
  }
  parser_ = std::make_unique<CLI::App>(what_, name_);
  parser_->require_subcommand(1);
  parser_->set_version_flag("--version", version);
}

Program::~Program() = default;

Command Program::command(const std::string& name) {
  const auto found = std::ranges::find(commands_, name, &CommandDeclaration::name);
  if (found == commands_.end()) throw CLI::OptionNotFound(name);
  return {parser_->add_subcommand(name, found->what), &*found};
}

const CommandDeclaration* Program::find(const std::string& command) const {
  for (const CommandDeclaration& declared : commands_) {
    if (declared.name == command) return &declared;
  }
  return nullptr;
}

const CommandDeclaration* Program::parsed_command() const {
  const std::vector<CLI::App*> parsed = parser_->get_subcommands();
  return parsed.empty() ? nullptr : find(parsed.back()->get_name());
}

bool Program::prints_json() const {
  const std::vector<CLI::App*> parsed = parser_->get_subcommands();
  const CLI::Option* json = parsed.empty() ? nullptr : parsed.back()->get_option_no_throw("--json");
  return json != nullptr && json->count() > 0;
}

std::string Program::meant_command(const std::string& typed) const {
  std::vector<absl::string_view> names;
  for (const CommandDeclaration& declared : commands_) names.push_back(declared.name);
  return did_you_mean(typed, names);
}

std::string Program::unexpected_argument() const {
  const CommandDeclaration* command = parsed_command();
  // What follows `--` may be left to the parser of all commands, so what the command was given comes first.
  std::vector<std::string> left;
  for (const CLI::App* parsed : parser_->get_subcommands()) {
    for (const std::string& argument : parsed->remaining()) left.push_back(argument);
  }
  for (const std::string& argument : parser_->remaining()) left.push_back(argument);
  if (left.empty()) return "";
  if (command == nullptr && left[0][0] != '-') {
    const std::string meant = meant_command(left[0]);
    return absl::StrCat("no command '", conform::shown(left[0], 40), "'",
                        meant.empty() ? absl::StrCat("; `", name_, "` lists them") : meant);
  }
  for (const std::string& argument : left) {
    if (argument.size() < 2 || argument[0] != '-' || argument == "--") continue;
    const std::string typed = argument.substr(0, argument.find('='));
    std::vector<absl::string_view> names = {"--help"};
    if (command == nullptr) names.push_back("--version");
    if (command != nullptr) {
      for (const OptionDeclaration& option : command->options) {
        if (!option.is_positional()) names.push_back(option.name);
      }
    }
    return absl::StrCat(command == nullptr ? name_ : command->name, " has no option '",
                        conform::shown(typed, 40), "'", other_name(typed, names));
  }
  for (const std::string& argument : left) {
    if (command == nullptr || argument == "--") continue;
    const bool is_index = argument.find_first_not_of("0123456789,") == std::string::npos &&
                          std::ranges::count(command->options, "--index", &OptionDeclaration::name);
    const std::string found = conform::shown(argument, 40);
    return absl::StrCat(command->name, ": expected no more arguments, found '", found, "'",
                        is_index ? absl::StrCat("; did you mean --index ", found, "?") : "");
  }
  return "";
}

std::string Program::repeated_option() const {
  const CommandDeclaration* command = parsed_command();
  if (command == nullptr) return "";
  for (const OptionDeclaration& option : command->options) {
    if (option.is_list || option.is_flag || option.is_positional()) continue;
    const CLI::Option* parsed = parser_->get_subcommand(command->name)->get_option(option.name);
    if (parsed->count() < 2) continue;
    std::string text = absl::StrCat(command->name, ": ", option.name,
                                    ": expected one value, found ", parsed->count());
    for (const CommandDeclaration& other : commands_) {
      for (const OptionDeclaration& same : other.options) {
        if (same.name != option.name || !same.is_list) continue;
        return absl::StrCat(text, "; `", name_, " ", other.name, "` takes several");
      }
    }
    return text;
  }
  return "";
}

int Program::wrong_call(const std::string& message) const {
  const std::string unexpected = unexpected_argument();
  const std::string& said = unexpected.empty() ? message : unexpected;
  std::cerr << name_ << ": " << said << "\n";
  if (prints_json()) std::cout << json_line(error_json(said));
  return kBadInput;
}

int Program::run(int argc, char** argv) {
  if (argc <= 1) {
    std::cout << help_page(*this);
    return kBadInput;
  }
  try {
    parser_->parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    const CommandDeclaration* command = parsed_command();
    std::cout << (command == nullptr ? help_page(*this) : help_page(*this, *command));
    return kHolds;
  } catch (const CLI::CallForVersion&) {
    std::cout << version_ << "\n";
    return kHolds;
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string repeated = repeated_option();
    return wrong_call(repeated.empty() ? error.what() : repeated);
  } catch (const CLI::ParseError& error) {
    return wrong_call(error.what());
  }
  set_json_errors(prints_json());
  return parsed_command()->run();
}

}  // namespace tileproof::cli

// SPDX-License-Identifier: Apache-2.0
#include "cli/arguments.h"

#include <algorithm>
#include <iostream>
#include <utility>
#include <vector>

#include "CLI/CLI.hpp"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/text.h"
#include "cli/verbs/error_text.h"
#include "cli/verbs/time_text.h"
#include "conform/protocol/json.h"
#include "spec/lang/base/nearest.h"

namespace tileproof::cli {

Option Option::required() {
  parsed_->required();
  declared_->is_required = true;
  return *this;
}

Option Option::show_default() {
  parsed_->capture_default_str();
  declared_->shown_default = parsed_->get_default_str();
  return *this;
}

Option Option::one_of(std::vector<std::string> words) {
  parsed_->check(CLI::IsMember(words));
  declared_->only_words = true;
  return such_as(std::move(words));
}

Option Option::such_as(std::vector<std::string> words) {
  declared_->words = std::move(words);
  return *this;
}

Option Option::in_range(int64_t low, int64_t high) {
  parsed_->check(CLI::Range(low, high));
  return *this;
}

Option Option::value_name(const std::string& word) {
  parsed_->type_name(word);
  declared_->value = word;
  return *this;
}

// Replaces the text of a time by its milliseconds, before it is converted to a number.
Option Option::milliseconds() {
  parsed_->transform(CLI::Validator(
      [](std::string& text) -> std::string {
        const absl::StatusOr<std::chrono::milliseconds> time =
            read_time(text, BareTime::kMilliseconds);
        if (!time.ok()) return std::string(time.status().message());
        text = absl::StrCat(time->count());
        return "";
      },
      ""));
  return value_name("TIME");
}

Option Option::folder() { return value_name("DIR"); }

Option Option::file() { return value_name("FILE"); }

Option Option::one_value_each() {
  parsed_->allow_extra_args(false);
  return *this;
}

Option Option::excludes(Option other) {
  parsed_->excludes(other.parsed_);
  return *this;
}

Option Option::needs(Option other) {
  parsed_->needs(other.parsed_);
  return *this;
}

bool Option::given() const { return parsed_->count() > 0; }

Option Command::add(const std::string& name, Variable variable, const std::string& what) {
  const auto declare = [&](auto* value) -> Option {
    using T = std::remove_pointer_t<decltype(value)>;
    const bool is_number = std::is_integral_v<T> || std::is_same_v<T, std::optional<int64_t>>;
    declared_->options.push_back({.name = name,
                                  .what = what,
                                  .is_list = std::is_same_v<T, std::vector<std::string>>,
                                  .value = is_number ? "N" : "TEXT"});
    return {parser_->add_option(name, *value, what), &declared_->options.back()};
  };
  return std::visit(declare, variable);
}

Option Command::flag(const std::string& name, bool& variable, const std::string& what) {
  declared_->options.push_back({.name = name, .what = what, .is_flag = true});
  return {parser_->add_flag(name, variable, what), &declared_->options.back()};
}

void Command::example(const std::string& command, const std::string& what) {
  declared_->examples.push_back({command, what});
}

void Command::hide() { declared_->is_hidden = true; }

void Command::run(std::function<int()> action) { declared_->run = std::move(action); }

void Command::answer(std::function<absl::StatusOr<Answer>()> action, const std::string& json_is,
                     int too_large) {
  flag("--json", declared_->json, json_is);
  run([declared = declared_, action = std::move(action), too_large] {
    const absl::StatusOr<Answer> answer = action();
    if (answer.ok()) return print(*answer, declared->json);
    const int status = complain(declared->name, answer.status());
    return absl::IsResourceExhausted(answer.status()) ? too_large : status;
  });
}

Program::Program(const std::string& name, const std::string& what, const std::string& version)
    : name_(name), what_(what), version_(version), parser_(std::make_unique<CLI::App>(what, name)) {
  parser_->require_subcommand(1);
  parser_->set_version_flag("--version", version);
}

Program::~Program() = default;

Command Program::command(const std::string& name, const std::string& what) {
  commands_.push_back({.name = name, .what = what});
  return {parser_->add_subcommand(name, what), &commands_.back()};
}

void Program::example(const std::string& command, const std::string& what) {
  examples_.push_back({command, what});
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

namespace {

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

}  // namespace

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

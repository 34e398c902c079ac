// SPDX-License-Identifier: Apache-2.0
// The arguments of the program: its commands, with their options and examples.
//
// Each command is declared once, in commands.txt. The parser, --help, the man pages and the completion
// of shells are made from that declaration, and a command asks by it for what is given. A thin wrapper
// of CLI11, whose header only arguments.cc includes: it adds 6 s to the compilation of a file.
//
//     command   layout    Explain a layout: ..
//     example   tileproof layout 'f32[3,5]{1,0:T(2,2)}'    everything about a layout
//     LAYOUT    required  an HLO shape, ..
//     --json    flag      print JSON
//
//     absl::StatusOr<Answer> layout_command(const Command& given) {
//       return explain(given.text("LAYOUT"));
//     }
//     program.command("layout").answer(layout_command);
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "cli/commands.h"
#include "cli/text.h"

namespace CLI {
class App;
}

namespace tileproof::cli {

// What a declaration says about an option. The name of a positional argument has no dashes.
struct OptionDeclaration {
  std::string name;
  std::string what;
  std::vector<std::string> rules = {};
  bool is_flag = false;
  bool is_list = false;  // may be given several times
  bool is_required = false;
  std::string value = {};               // of which kind the value is: TEXT, N, FILE, DIR, TIME
  std::string shown_default = {};       // "" if --help shows none
  std::vector<std::string> words = {};  // values that shells complete
  bool only_words = false;              // no other value is valid
  // What is given, or the default.
  std::variant<std::string, bool, int64_t, double, std::vector<std::string>> given = {};

  bool is_positional() const { return name[0] != '-'; }
};

struct Example {
  std::string command;
  std::string what;
};

struct CommandDeclaration {
  std::string name;
  std::string what;
  bool is_hidden = false;
  std::vector<Example> examples = {};
  std::deque<OptionDeclaration> options = {};  // the addresses stay valid
  std::function<int()> run = {};
};

class Command {
 public:
  Command(CLI::App* parser, CommandDeclaration* declared) : parser_(parser), declared_(declared) {}

  // What the rules `such`, `only` and `default` leave to the program.
  Command& words(const std::string& option, std::vector<std::string> words);
  Command& initial(const std::string& option, const std::string& value);

  // What the command does. It returns the exit status; complain() says of an error.
  void run(std::function<absl::StatusOr<int>(const Command& given)> action);
  // The command prints this answer, as JSON if --json is given, or complains. `too_large` is the exit
  // status of an answer that is too large to compute.
  void answer(std::function<absl::StatusOr<Answer>(const Command& given)> action,
              int too_large = kBadInput);

  // Once the arguments are parsed: the value of an option of this kind, or its default.
  bool has(const std::string& option) const;  // it is given
  bool flag(const std::string& option) const { return value<bool>(option); }
  const std::string& text(const std::string& option) const { return value<std::string>(option); }
  int64_t number(const std::string& option) const { return value<int64_t>(option); }
  double share(const std::string& option) const { return value<double>(option); }
  const std::vector<std::string>& list(const std::string& option) const {
    return value<std::vector<std::string>>(option);
  }
  // Nothing if it is not given.
  std::optional<std::string> text_if(const std::string& option) const {
    return has(option) ? std::optional(text(option)) : std::nullopt;
  }
  std::optional<int64_t> number_if(const std::string& option) const {
    return has(option) ? std::optional(number(option)) : std::nullopt;
  }

 private:
  OptionDeclaration& option(const std::string& name) const;
  template <class Value>
  const Value& value(const std::string& name) const {
    return std::get<Value>(option(name).given);
  }
  void apply(const std::string& rule, OptionDeclaration& declared);

  CLI::App* parser_;
  CommandDeclaration* declared_;
};

class Program {
 public:
  // `declarations`: the text of commands.txt, which describes itself.
  Program(const std::string& version, absl::string_view declarations);
  ~Program();

  // The command of that name, which is declared.
  Command command(const std::string& name);

  // Parses the arguments and runs the command that they name. Returns its exit status. A wrong call
  // gets one line on standard error, which names the command or option that was probably meant, and
  // the status 2. Passes on what a command throws.
  int run(int argc, char** argv);

  const std::string& name() const { return name_; }
  const std::string& what() const { return what_; }
  const std::string& version() const { return version_; }
  const std::vector<Example>& examples() const { return examples_; }
  const std::deque<CommandDeclaration>& commands() const { return commands_; }

  // Null if there is no such command.
  const CommandDeclaration* find(const std::string& command) const;

  // "; did you mean 'layout'?" for "laout", or "".
  std::string meant_command(const std::string& typed) const;

 private:
  const CommandDeclaration* parsed_command() const;
  bool prints_json() const;  // the command has --json, and it is given
  std::string unexpected_argument() const;
  std::string repeated_option() const;
  int wrong_call(const std::string& message) const;

  std::string name_, what_, version_;
  std::vector<Example> examples_;
  std::deque<CommandDeclaration> commands_;
  std::unique_ptr<CLI::App> parser_;
};

}  // namespace tileproof::cli

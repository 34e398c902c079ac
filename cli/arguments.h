// SPDX-License-Identifier: Apache-2.0
// The arguments of the program: its commands, with their options and examples.
//
// Each command is declared once, in commands.txt. The parser, --help, the man pages and the completion
// of shells are made from that declaration. The program adds the variable of each option, and the
// function that a command runs. A thin wrapper of CLI11, whose header only arguments.cc includes: it adds 6 s
// to the compilation of a file.
//
//     command   layout    Explain a layout: ..
//     example   tileproof layout 'f32[3,5]{1,0:T(2,2)}'    everything about a layout
//     LAYOUT    required  an HLO shape, ..
//     --json              print JSON
//
//     program.command("layout").set("LAYOUT", &options->shape).answer([options] {
//       return explain(*options);
//     });
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
class Option;
}  // namespace CLI

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
  bool json = false;                           // --json is given, if answer() has set it
  std::function<int()> run = {};
};

class Command {
 public:
  Command(CLI::App* parser, CommandDeclaration* declared) : parser_(parser), declared_(declared) {}

  // The variable gets the value of the option. It must outlive the parsing. `words`: those that the
  // rules `such` and `only` leave to the program. Options that another one needs or excludes, and
  // positional ones, are set in this order.
  using Variable =
      std::variant<bool*, std::string*, std::optional<std::string>*, std::optional<int64_t>*,
                   std::vector<std::string>*, int32_t*, int64_t*, uint32_t*, double*>;
  Command& set(const std::string& name, Variable variable, std::vector<std::string> words = {});

  // What the command does. It returns the exit status; complain() says of an error. All options of
  // the declaration are set.
  void run(std::function<absl::StatusOr<int>()> action);

  // Sets --json; the command prints this answer, or complains. `too_large` is the exit status of an
  // answer that is too large to compute.
  void answer(std::function<absl::StatusOr<Answer>()> action, int too_large = kBadInput);

  // Once the arguments are parsed:
  bool prints_json() const { return declared_->json; }
  bool given(const std::string& name) const;

 private:
  void apply(const std::string& rule, CLI::Option& parsed, OptionDeclaration& declared);

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

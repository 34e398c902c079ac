// SPDX-License-Identifier: Apache-2.0
// The arguments of the program: its commands, with their options and examples.
//
// Each command is declared once. The parser, --help, the man pages and the completion of shells are
// made from that declaration. A thin wrapper of CLI11, whose header only arguments.cc includes: it
// adds 6 s to the compilation of a file.
//
//     Command layout = program.command("layout", "Explain a layout: ..");
//     layout.example("tileproof layout 'f32[3,5]{1,0:T(2,2)}'", "everything about a layout");
//     layout.option("LAYOUT", options->shape, "an HLO shape, ..");
//     layout.flag("--json", options->json, "print JSON");
//     layout.run([options] { return explain(*options); });
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
  bool json = false;                           // --json is given, if answer() has declared it
  std::function<int()> run = {};
};

// One option of a command, to say more about it.
class Option {
 public:
  Option(CLI::Option* parsed, OptionDeclaration* declared) : parsed_(parsed), declared_(declared) {}

  Option required();
  Option show_default();                           // the value that the variable has now
  Option one_of(std::vector<std::string> words);   // other values are errors
  Option such_as(std::vector<std::string> words);  // for the completion of shells
  Option in_range(int64_t low, int64_t high);
  Option value_name(const std::string& word);  // what --help calls the value
  Option milliseconds();    // 5000, 5s, 2min (cli/verbs/time_text.h), as a number
  Option folder();          // a path, which need not exist: DIR
  Option file();            // the same: FILE
  Option one_value_each();  // a list takes one value each time that it is given
  Option excludes(Option other);
  Option needs(Option other);
  bool given() const;

 private:
  CLI::Option* parsed_;
  OptionDeclaration* declared_;
};

class Command {
 public:
  Command(CLI::App* parser, CommandDeclaration* declared) : parser_(parser), declared_(declared) {}

  // Declares an option, which sets the variable. The variable must outlive the parsing.
  template <class T>
  Option option(const std::string& name, T& variable, const std::string& what) {
    return add(name, &variable, what);
  }
  Option flag(const std::string& name, bool& variable, const std::string& what);

  void example(const std::string& command, const std::string& what);
  void hide();  // --help of the program does not list the command

  // What the command does. It returns the exit status.
  void run(std::function<int()> action);

  // Declares --json, and that the command prints this answer, or complains. `too_large` is the exit
  // status of an answer that is too large to compute.
  void answer(std::function<absl::StatusOr<Answer>()> action,
              const std::string& json_is = "print JSON", int too_large = kBadInput);
  bool prints_json() const { return declared_->json; }  // once the arguments are parsed

 private:
  using Variable = std::variant<std::string*, std::optional<std::string>*, std::optional<int64_t>*,
                                std::vector<std::string>*, int32_t*, int64_t*, uint32_t*, double*>;
  Option add(const std::string& name, Variable variable, const std::string& what);

  CLI::App* parser_;
  CommandDeclaration* declared_;
};

class Program {
 public:
  Program(const std::string& name, const std::string& what, const std::string& version);
  ~Program();

  Command command(const std::string& name, const std::string& what);
  void example(const std::string& command, const std::string& what);

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
  std::unique_ptr<CLI::App> parser_;
  std::vector<Example> examples_;
  std::deque<CommandDeclaration> commands_;
};

}  // namespace tileproof::cli

// SPDX-License-Identifier: Apache-2.0
// tileproof explore: serves the page of the explorer on this machine.
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/protocol_commands.h"
#include "cli/text.h"
#include "conform/protocol/json.h"
#include "explorer/answers/answer.h"
#include "explorer/answers/panels.h"
#include "explorer/serve/server.h"
#include "spec/lang/base/try.h"

namespace tileproof::cli {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMostInstructions = 100'000;  // of a module

absl::StatusOr<std::string> read_page(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (file && !text.str().empty()) return std::move(text).str();
  return absl::NotFoundError(absl::StrCat("cannot read the page ", path.string()));
}

// Where an installation has the page, and where tools/explorer leaves it: beside
// <prefix>/bin/tileproof or <root>/build/release/bin/tileproof.
absl::StatusOr<std::string> find_page(const fs::path& program) {
  const fs::path prefix = program.parent_path().parent_path();
  for (const fs::path& path : {prefix / "share/tileproof/explorer.html",
                               prefix.parent_path() / "explorer/page/index.html"}) {
    std::error_code error;
    if (fs::exists(path, error)) return read_page(path);
  }
  return absl::NotFoundError(
      "this installation has no page of the explorer; build it by tools/explorer in a clone, or "
      "give it as --page FILE");
}

// A file without a name that holds a text; null if there is no room.
struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using TextFile = std::unique_ptr<std::FILE, Close>;

TextFile file_of(const std::string& text) {
  TextFile file(std::tmpfile());
  const bool is_written = file != nullptr &&
                          std::fwrite(text.data(), 1, text.size(), file.get()) == text.size() &&
                          std::fflush(file.get()) == 0;
  return is_written ? std::move(file) : nullptr;
}

std::string path_of(const TextFile& file) {
  return absl::StrCat("/proc/self/fd/", fileno(file.get()));
}

// What a page may ask of the program: nothing that reads or writes a file that it names.
struct Allowed {
  absl::string_view command, options;
};
constexpr Allowed kAllowed[] = {
    {"layout", "--json --svg=- --sharding= --color= --type= --index="},
    {"equiv", "--json --law="},
    {"banks", "--json --access= --type="},
    {"grid", "--json"},
};

bool may_ask(const std::string& option, absl::string_view options) {
  if (option == "--svg=-") return absl::StrContains(options, option);
  if (absl::StrContains(option, "=@") || absl::EndsWith(option, "=-")) return false;
  const std::vector<std::string> all = absl::StrSplit(options, ' ');
  return absl::c_any_of(all, [&](const std::string& known) {
    return absl::EndsWith(known, "=") ? absl::StartsWith(option, known) : option == known;
  });
}

// {"command", "texts": [..], "options": ["--type=f16", ..]}
// {"output", "errors", "status"}: of the command. Its arguments are the texts.
absl::StatusOr<Json> output_of(const Json& question, const RunProgram& run) {
  const std::string command = TRY(explorer::text_in(question, "command"));
  const Allowed* const found =
      absl::c_find_if(kAllowed, [&](const Allowed& one) { return one.command == command; });
  if (found == std::end(kAllowed)) return invalid("a page may not ask ", command);
  std::vector<std::string> words = {"tileproof", command};
  for (const std::string& option : TRY(explorer::texts_in(question, "options"))) {
    if (!may_ask(option, found->options)) return invalid("a page may not ask ", option);
    words.push_back(option);
  }
  std::vector<TextFile> files;
  for (const std::string& text : TRY(explorer::texts_in(question, "texts"))) {
    files.push_back(file_of(text));
    if (files.back() == nullptr) return absl::ResourceExhaustedError("no room for a text");
    words.push_back(absl::StrCat("@", path_of(files.back())));
  }
  std::ostringstream output, errors;
  std::streambuf *const out = std::cout.rdbuf(output.rdbuf()), *const err =
                                                                   std::cerr.rdbuf(errors.rdbuf());
  const int status = run(words);
  std::cout.rdbuf(out);
  std::cerr.rdbuf(err);
  std::string said = output.str(), wrong = errors.str();
  for (size_t i = 0; i < files.size(); ++i) {
    for (std::string* text : {&said, &wrong})
      absl::StrReplaceAll({{path_of(files[i]), absl::StrCat("text ", i + 1)}}, text);
  }
  return json_object({{"output", said}, {"errors", wrong}, {"status", status}});
}

}  // namespace

absl::StatusOr<int> explore_command(const Command& given) {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (error) return absl::NotFoundError("expected /proc/self/exe");
  explorer::ServerOptions server;
  server.port = static_cast<uint16_t>(given.number("--port"));
  server.page =
      TRY(given.text("--page").empty() ? find_page(program) : read_page(given.text("--page")));
  server.worker = {program.string(), "answer"};
  TRY(explorer::serve(server, [](uint16_t port) {
    std::cout << "http://localhost:" << port << "/" << std::endl;
    std::cerr << "Open this address in a browser. Ctrl-C ends.\n";
  }));
  return kHolds;
}

absl::StatusOr<int> answer_command(const Command&, const RunProgram& run) {
  explorer::Memory memory;
  memory.most_instructions = kMostInstructions;
  return answer_lines("answer", STDOUT_FILENO, [&](absl::string_view question) {
    const absl::StatusOr<conform::JsonText> json = conform::read_json(question);
    if (!json.ok() || !conform::is(json->value, "ask", "command")) {
      return explorer::answer_text(question, memory);
    }
    const absl::StatusOr<Json> found = output_of(json->value, run);
    return to_text(found.ok() ? json_object({{"ok", *found}})
                              : json_object({{"error", found.status().message()}}));
  });
}

}  // namespace tileproof::cli

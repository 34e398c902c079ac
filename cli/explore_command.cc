// SPDX-License-Identifier: Apache-2.0
// tileproof explore: serves the page of the explorer on this machine.
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <system_error>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/protocol_commands.h"
#include "cli/text.h"
#include "explorer/answers/answer.h"
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

absl::StatusOr<int> answer_command(const Command&) {
  explorer::Memory memory;
  memory.most_instructions = kMostInstructions;
  return answer_lines("answer", STDOUT_FILENO, [&memory](absl::string_view question) {
    return explorer::answer_text(question, memory);
  });
}

}  // namespace tileproof::cli

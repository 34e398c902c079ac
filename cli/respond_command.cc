// SPDX-License-Identifier: Apache-2.0
// tileproof respond: speaks the protocol on standard input and output.
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/text.h"
#include "conform/oracle/oracle.h"
#include "conform/plugin/plugin_answer.h"
#include "conform/plugin/plugin_library.h"
#include "conform/protocol/protocol.h"

namespace tileproof::cli {
namespace {

constexpr size_t kBlock = size_t{1} << 16;

bool write_all(int output, absl::string_view text) {
  while (!text.empty()) {
    const ssize_t put = ::write(output, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return false;
    text.remove_prefix(static_cast<size_t>(put));
  }
  return true;
}

// Answers every line received so far, and writes the answers before it waits for more.
int respond(int output, absl::FunctionRef<std::string(absl::string_view)> answer_line) {
  conform::Lines lines;
  std::array<char, kBlock> block;
  std::string answers;
  for (bool more = true; more;) {
    ssize_t got;
    do {
      got = ::read(STDIN_FILENO, block.data(), block.size());
    } while (got < 0 && errno == EINTR);
    more = got > 0;
    if (more) {
      lines.add(absl::string_view(block.data(), static_cast<size_t>(got)));
    } else {
      lines.end();
    }
    while (const std::optional<conform::Lines::Line> line = lines.next()) {
      answers += line->too_long
                     ? to_text(conform::failed_answer(
                           conform::Json(),
                           absl::InvalidArgumentError("expected a line of at most 16 MiB")))
                     : answer_line(line->text);
      answers += '\n';
      if (answers.size() < kBlock) continue;
      if (!write_all(output, answers)) break;
      answers.clear();
    }
    if (!write_all(output, answers)) {
      std::cerr << "tileproof: respond: cannot write: " << std::strerror(errno) << "\n";
      return kInternal;
    }
    answers.clear();
  }
  return kHolds;
}

// A plug-in may print. Its output goes to standard error; standard output is for answers alone.
int respond_with_plugin(const std::string& path) {
  const int output = ::dup(STDOUT_FILENO);
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
  const absl::StatusOr<tileproof_plugin> plugin = conform::load_plugin(path);
  if (!plugin.ok()) return complain("respond", plugin.status());
  return respond(output, [&plugin](absl::string_view line) {
    return conform::plugin_answer_line(*plugin, line);
  });
}

}  // namespace

void add_respond_command(Program& program) {
  auto engine = std::make_shared<std::string>("impl");
  auto plugin = std::make_shared<std::string>();
  Command command =
      program.command("respond", "Answer JSON requests from standard input, one per line");
  command.example(
      "echo '{\"id\": 7, \"op\": \"layout.linearize\", \"shape\": "
      "\"f32[3,5]{1,0:T(2,2)}\", \"index\": [2, 3]}' | tileproof respond",
      "one question and its answer");
  command.option("--engine", *engine, "spec (the definition) or impl (closed forms) answers")
      .one_of({"spec", "impl"})
      .show_default();
  command.option("--plugin", *plugin, "LIB.so: a shared library answers (tileproof/plugin.h)")
      .file();
  command.run([engine, plugin] {
    if (!plugin->empty()) return respond_with_plugin(*plugin);
    const auto who = *engine == "spec" ? conform::Engine::kSpec : conform::Engine::kImpl;
    return respond(STDOUT_FILENO,
                   [who](absl::string_view line) { return conform::answer_line(line, who); });
  });
}

}  // namespace tileproof::cli

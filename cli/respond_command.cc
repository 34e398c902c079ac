// tileproof respond: speaks the protocol on standard input and output.
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "cli/commands.h"
#include "cli/text.h"
#include "verify/oracle.h"
#include "verify/protocol.h"

namespace tileproof::cli {
namespace {

constexpr size_t kBlock = size_t{1} << 16;

bool write_all(absl::string_view text) {
  while (!text.empty()) {
    const ssize_t put = ::write(STDOUT_FILENO, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return false;
    text.remove_prefix(static_cast<size_t>(put));
  }
  return true;
}

// Answers every line that has come, and writes the answers before it waits for more.
int respond(verify::Engine engine) {
  verify::Lines lines;
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
    while (const std::optional<verify::Lines::Line> line = lines.next()) {
      answers += line->too_long
                     ? to_text(verify::failed_answer(
                           verify::Json(),
                           absl::InvalidArgumentError("expected a line of at most 16 MiB")))
                     : verify::answer_line(line->text, engine);
      answers += '\n';
      if (answers.size() < kBlock) continue;
      if (!write_all(answers)) break;
      answers.clear();
    }
    if (!write_all(answers)) {
      std::cerr << "tileproof: respond: cannot write: " << std::strerror(errno) << "\n";
      return kInternal;
    }
    answers.clear();
  }
  return kHolds;
}

}  // namespace

void add_respond_command(CLI::App& app, int* status) {
  auto engine = std::make_shared<std::string>("impl");
  CLI::App* command = app.add_subcommand(
      "respond", "Speak the protocol: a JSON request on each line, a JSON answer to each");
  command->add_option("--engine", *engine, "who answers: spec, the definition; impl, closed forms")
      ->check(CLI::IsMember({"spec", "impl"}))
      ->capture_default_str();
  command->callback([engine, status] {
    *status = respond(*engine == "spec" ? verify::Engine::kSpec : verify::Engine::kImpl);
  });
}

}  // namespace tileproof::cli

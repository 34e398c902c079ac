// SPDX-License-Identifier: Apache-2.0
#include "cli/answer_lines.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <iostream>
#include <optional>

#include "absl/status/status.h"
#include "cli/commands.h"
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

}  // namespace

int answer_lines(const std::string& command, int output,
                 absl::FunctionRef<std::string(absl::string_view)> answer) {
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
                     : answer(line->text);
      answers += '\n';
      if (answers.size() < kBlock) continue;
      if (!write_all(output, answers)) break;
      answers.clear();
    }
    if (!write_all(output, answers)) {
      std::cerr << "tileproof: " << command << ": cannot write: " << std::strerror(errno) << "\n";
      return kInternal;
    }
    answers.clear();
  }
  return kHolds;
}

}  // namespace tileproof::cli

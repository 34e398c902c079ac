// SPDX-License-Identifier: Apache-2.0
// The process that answers questions: one line for each line. It is ended if an answer takes too
// long, and started again for the next question, so no question harms the server.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "conform/protocol/subprocess.h"

namespace tileproof::explorer {

class Worker {
 public:
  Worker(std::vector<std::string> command, conform::Milliseconds limit)
      : command_(std::move(command)), limit_(limit) {}

  // The question must be one line, without its end. Errors: the process cannot be started; it ended
  // without an answer; DeadlineExceeded.
  absl::StatusOr<std::string> ask(const std::string& question);

  // Ends the waiting of `ask` soon. Any thread may call it.
  void stop() { stopped_ = true; }

 private:
  std::atomic<bool> stopped_ = false;
  std::vector<std::string> command_;
  conform::Milliseconds limit_;
  std::optional<conform::Subprocess> process_;
};

}  // namespace tileproof::explorer

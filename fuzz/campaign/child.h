// SPDX-License-Identifier: Apache-2.0
// One run of a target's program, with a time limit. Reads its output while it runs.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "conform/protocol/subprocess.h"
#include "fuzz/campaign/output.h"

namespace tileproof::campaign {

using Clock = std::chrono::steady_clock;
using Milliseconds = std::chrono::milliseconds;

class Child {
 public:
  // Starts the program. Interrupts it at `limit`, and two seconds later kills it and the processes
  // that it started.
  static absl::StatusOr<Child> start(const std::vector<std::string>& command,
                                     Clock::time_point limit);

  // Reads the output so far. Returns true once the process has ended and all output is read.
  bool poll();

  // Asks the process to end now.
  void interrupt();

  const Output& output() const { return output_; }
  Milliseconds age() const {
    return std::chrono::duration_cast<Milliseconds>(Clock::now() - start_);
  }

  // Returns how the process ended: "status 77", "signal 9 (Killed)". nullopt: it runs, or it had to
  // be killed.
  const std::optional<std::string>& how() const { return how_; }
  bool limited() const { return interrupted_; }  // whether it had to be interrupted

 private:
  Child(conform::Subprocess process, Clock::time_point limit)
      : process_(std::move(process)), start_(Clock::now()), limit_(limit) {}

  // Parses the complete lines so far. Of a line that is too long, parses the beginning.
  void read_lines();

  conform::Subprocess process_;
  Clock::time_point start_, limit_;
  bool interrupted_ = false;
  std::string pending_;
  bool skipping_ = false;  // skip the rest of a line that was too long
  Output output_;
  std::optional<std::string> how_;
};

}  // namespace tileproof::campaign

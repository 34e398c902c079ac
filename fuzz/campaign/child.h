// One run of a target's program: its output is read as it comes, and it has a time limit.
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
  // At `limit` it is asked to end, and two seconds later it is killed, with what it started.
  static absl::StatusOr<Child> start(const std::vector<std::string>& command,
                                     Clock::time_point limit);

  // Takes in what it said. True once it is gone and all was read.
  bool poll();

  // Asks it to end now.
  void interrupt();

  const Output& output() const { return output_; }
  Milliseconds age() const {
    return std::chrono::duration_cast<Milliseconds>(Clock::now() - start_);
  }

  // Once it is gone: "status 77", "signal 9 (Killed)"; nothing where it had to be killed.
  const std::optional<std::string>& how() const { return how_; }
  bool limited() const { return interrupted_; }  // it did not end by itself

 private:
  Child(conform::Subprocess process, Clock::time_point limit)
      : process_(std::move(process)), start_(Clock::now()), limit_(limit) {}

  // Takes in the whole lines of what came; of one without measure its beginning.
  void read_lines();

  conform::Subprocess process_;
  Clock::time_point start_, limit_;
  bool interrupted_ = false;
  std::string pending_;
  bool skipping_ = false;  // the rest of a line whose beginning was read
  Output output_;
  std::optional<std::string> how_;
};

}  // namespace tileproof::campaign

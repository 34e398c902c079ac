// SPDX-License-Identifier: Apache-2.0
// A running campaign. Private: campaign.cc shares the time, campaign_target.cc runs a target, and
// campaign_findings.cc looks at what fails.
//
// Each lane, a thread, gives one target after the other its turn. A lane holds the lock except while
// it waits for a program. References to findings stay valid meanwhile.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "conform/protocol/subprocess.h"
#include "fuzz/campaign/campaign.h"
#include "fuzz/campaign/libfuzzer.h"
#include "fuzz/campaign/parts.h"

namespace tileproof::campaign {

class Campaign {
 public:
  explicit Campaign(const Options& options);
  Summary run();

 private:
  // A target while it runs.
  struct Turn {
    size_t target;
    TargetLocation at;
    int forks;              // processes
    Clock::time_point end;  // of its part of the time
  };
  using Meanwhile = absl::FunctionRef<bool(const Output&)>;

  Milliseconds elapsed() const {
    return std::chrono::duration_cast<Milliseconds>(Clock::now() - begun_);
  }
  bool over(Clock::time_point time) const {
    return conform::Signals::received() != 0 || Clock::now() >= time;
  }
  // The time that one thing beside fuzzing may take, such as making an input smaller.
  Milliseconds allowance() const;
  TargetLocation location(size_t target) const;
  TargetResult& result(const Turn& turn) { return summary_.targets[turn.target]; }
  Finding* finding_of(const std::string& target, const std::string& key);  // or null

  void run_lane(int lane, int lanes);
  std::optional<Turn> next_turn(int lane, int lanes);
  void note(const std::string& said);
  void note(const Turn& turn, absl::string_view said);
  void note_failure(const Turn& turn, const absl::Status& status);
  Ended wait_for(const Turn& turn, absl::string_view what, const Command& command,
                 Clock::time_point limit, Meanwhile meanwhile);
  void report_progress();

  // campaign_target.cc
  void run_target(const Turn& turn);
  void prepare(const Turn& turn);
  void write_inputs(const Turn& turn);
  void fuzz(const Turn& turn);
  bool fuzz_with_forks(const Turn& turn, const Inputs& inputs, Clock::time_point end);
  void fuzz_without_forks(const Turn& turn, const Inputs& inputs);
  void leave(const Turn& turn, const std::string& why);
  void count(const Turn& turn, const Output& output);
  bool merge(const Turn& turn, const Inputs& inputs, Milliseconds most);

  // campaign_findings.cc
  Ended replay(const Turn& turn, const std::filesystem::path& input);
  void look_at_known(const Turn& turn);
  bool look_at_failures(const Turn& turn, Milliseconds age);
  void look_at_failure(const Turn& turn, const std::filesystem::path& input);
  void file(const Turn& turn, const Cause& cause, const std::string& name,
            const std::optional<std::string>& input);
  void take_input(const Turn& turn, Finding& finding, const std::string& input,
                  const std::string& line);
  void minimize(const Turn& turn, Finding& finding);
  void note_death(const Turn& turn, const Ended& ended, const std::filesystem::path& input);

  const Options& options_;
  const Clock::time_point begun_ = Clock::now();
  const Clock::time_point deadline_;
  std::mutex mutex_;  // guards all that follow
  Summary summary_;
  std::deque<size_t> turns_;        // targets that had no turn yet
  std::vector<std::string> doing_;  // by target: what runs; "" if nothing
  std::vector<Output> counted_;     // by target: what the program that runs has printed
  std::set<std::string> noted_;
  std::set<std::filesystem::path> unclear_;  // failing inputs whose program died without a message
  std::deque<std::pair<Clock::time_point, int64_t>> recent_;  // executions
  int lanes_left_ = 0;
};

}  // namespace tileproof::campaign

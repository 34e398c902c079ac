// SPDX-License-Identifier: Apache-2.0
// A running campaign: the running processes, the waiting targets, the findings so far.
//
// campaign.cc has the main loop, campaign_slices.cc the slices and merges of a target, and
// campaign_findings.cc the findings. Private to these files.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "conform/protocol/signals.h"
#include "fuzz/campaign/campaign.h"
#include "fuzz/campaign/cause.h"
#include "fuzz/campaign/child.h"
#include "fuzz/campaign/findings.h"
#include "fuzz/campaign/output.h"
#include "fuzz/campaign/schedule.h"

namespace tileproof::campaign {

inline constexpr int kMaxDeaths = 3;  // in a row before the first input: give up

struct Task {
  enum class Kind { kSlice, kMerge, kReplay, kMinimize };
  Kind kind = Kind::kSlice;
  size_t target = 0;
  std::string key = "";  // key of the finding; "" to replay an input that is not filed yet
  std::filesystem::path file = "";  // input of a replay; output of a merge or of minimizing
};

struct Job {
  Task task;
  Child child;
  Milliseconds planned;
};

// Returns the last line of the output after ": ".
std::string last_output(const Job& job);

class Campaign {
 public:
  Campaign(const Options& options, State state)
      : options_(options),
        deadline_(Clock::now() + options.time),
        standings_(options.targets.size()) {
    summary_.state = std::move(state);
  }

  Summary run();
  void note(const std::string& said);

 private:
  const Target& target(size_t i) const { return options_.targets[i]; }
  TargetResult& result(size_t i) { return summary_.targets[i]; }
  Milliseconds elapsed() const {
    return std::chrono::duration_cast<Milliseconds>(Clock::now() - begun_);
  }
  Milliseconds left() const {
    return std::chrono::duration_cast<Milliseconds>(deadline_ - Clock::now());
  }
  TargetLocation location(size_t i) const;
  void note_all(const std::string& about, const Notes& notes);
  void leave(size_t i, const std::string& why);
  void begin_target(size_t i);
  void look_at_unfiled(size_t i);
  void end_target(size_t i);
  bool step();
  bool over() const { return conform::Signals::received() != 0 || Clock::now() >= deadline_; }
  bool start_one();
  bool can_start(const Task& task) const;
  int64_t seconds_of_slice() const;
  void start(const Task& task);
  void cannot_start(const Task& task, const absl::Status& status);
  void finish(const Job& job);
  void save();
  void report_progress();

  // campaign_slices.cc
  void finish_slice(size_t i, const Job& job);
  std::string why_it_died(const Job& job, const std::optional<Cause>& cause) const;
  void count(size_t i, const Output& output, int64_t ran);
  int64_t failed(size_t i, const Cause& cause, const Output& output);
  void want_merge(size_t i);
  void finish_merge(size_t i, const Job& job);

  // campaign_findings.cc
  const Finding* file(size_t i, const Cause& cause, const std::filesystem::path& artifact,
                      absl::string_view log);
  void minimize(size_t i, const Finding& finding);
  void finish_replay(size_t i, const Job& job);
  void does_not_happen(size_t i, Finding& finding, const std::filesystem::path& input);
  std::optional<std::filesystem::path> next_input(size_t i, const Finding& finding,
                                                  const std::filesystem::path& input) const;
  void fails_again(size_t i, const Job& job, const Cause& cause);
  bool take_input(size_t i, Finding& finding, const std::filesystem::path& file,
                  const Cause& cause);
  void file_as_another(size_t i, const Job& job, const Cause& cause);
  void dies_again(size_t i, const Job& job);
  void set_aside(size_t i, const std::filesystem::path& input);
  void finish_minimize(size_t i, const Job& job);

  const Options& options_;
  const Clock::time_point begun_ = Clock::now();
  const Clock::time_point deadline_;
  Summary summary_;
  std::vector<Standing> standings_;
  std::map<size_t, int> deaths_;  // in a row, by target
  std::deque<Task> tasks_;        // they run before any slice
  std::list<Job> jobs_;
  std::set<std::string> reported_;
  bool ending_ = false;
  Clock::time_point reported_at_;
  std::deque<std::pair<Clock::time_point, int64_t>> recent_;
};

}  // namespace tileproof::campaign

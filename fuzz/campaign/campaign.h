// A fuzz campaign: targets run in parallel, in slices of time, until the time is over.
//
// Every slice is a libFuzzer process of its own on the target's folder (folders.h). In between,
// findings are run again, made smaller and filed by cause, and the kept inputs are minimised once
// they are twice as many and 200 more. Whose turn it is, schedule.h says. What is known is on disk
// after every run (state.h); whoever kills us at any moment, the next campaign goes on.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "fuzz/campaign/child.h"
#include "fuzz/campaign/folders.h"
#include "fuzz/campaign/state.h"
#include "fuzz/campaign/target.h"

namespace tileproof::campaign {

// How it gets on. Edges are summed over the targets.
struct Progress {
  Milliseconds left{0};
  int64_t executions = 0;
  double per_second = 0;  // lately
  int64_t edges = 0, new_edges = 0;
  int64_t new_inputs = 0;
  int64_t findings = 0;
  std::vector<std::string> running;  // "map_equal", "merge of layout"
};

struct Options {
  std::vector<Target> targets;
  Milliseconds time{60'000};  // of the whole campaign
  int jobs = 1;               // processes at once
  std::filesystem::path folder, programs, corpus;
  std::function<void(const Progress&)> progress;     // told about twice a second
  std::function<void(const std::string&)> happened;  // told at once: findings, notes
};

// What this campaign did with a target.
struct TargetResult {
  std::string name;
  int64_t executions = 0;
  int64_t milliseconds = 0;
  int64_t edges_before = -1;  // -1: it never got so far
  int64_t edges = 0;
  int64_t features = 0;
  int64_t inputs = 0;  // kept
  int64_t new_inputs = 0;
  std::string left;  // why it was given up
};

struct Summary {
  State state;
  std::vector<TargetResult> targets;
  Notes notes;
  Milliseconds time{0};
  bool interrupted = false;  // by a signal
  bool recorded = true;      // the state could be written
  int64_t waiting = 0;       // inputs that fail, for the next campaign to look at
};

// Ends early, and in order, at SIGINT, SIGTERM and SIGHUP. An error: the folder cannot be used, or
// is used by another campaign.
absl::StatusOr<Summary> run(const Options& options);

// 0 nothing found; 1 findings that are not gone; 2 a target could not be run, or the record not be
// written.
int exit_status(const Summary& summary);

}  // namespace tileproof::campaign

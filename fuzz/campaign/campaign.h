// SPDX-License-Identifier: Apache-2.0
// A fuzz campaign: gives each target its part of the time, and files what fails by cause.
//
// libFuzzer does the fuzzing (libfuzzer.h): it starts and watches processes, keeps inputs, and goes
// on after a failing one. A campaign runs several targets at once if it may. Beside each it runs the
// failing inputs again, names their causes, and makes one of each smaller. The folders of the targets
// have all that a campaign goes on from, so it can be killed at any moment. Only a job of libFuzzer
// that runs then, of at most five minutes, loses the inputs that it wanted to keep.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "fuzz/campaign/libfuzzer.h"
#include "fuzz/campaign/target.h"

namespace tileproof::campaign {

// The progress of a campaign. Features (of libFuzzer) are summed over the targets.
struct Progress {
  Milliseconds left{0};
  int64_t executions = 0;
  double per_second = 0;  // recent rate
  int64_t features = 0, new_features = 0;
  int64_t new_inputs = 0;
  int64_t findings = 0;
  std::vector<std::string> running;  // "map_equal", "merge of layout"
};

struct Options {
  std::vector<Target> targets;
  Milliseconds time{60'000};  // of the whole campaign
  int jobs = 1;               // processes at once
  std::filesystem::path folder, programs, corpus;
  std::function<void(const Progress&)> progress;     // called about twice a second
  std::function<void(const std::string&)> happened;  // called at once with findings and notes
};

// The result of a campaign for one target.
struct TargetResult {
  std::string name;
  int64_t executions = 0;
  int64_t milliseconds = 0;
  int64_t edges_before = -1;  // -1: there was no time to count them
  int64_t edges = 0;
  int64_t features_before = -1;  // -1: no run got through its first inputs
  int64_t features = 0;
  int64_t inputs = 0;  // kept inputs
  int64_t new_inputs = 0;
  std::string left;  // why the campaign stopped running it, or ""
};

// A cause, seen in this campaign.
struct Finding {
  std::string target;
  std::string key;    // key_of(cause)
  std::string cause;  // Cause::text
  std::string line;   // Cause::line
  std::string input;  // file relative to the folder of the campaign; empty: it could not be written
  bool minimized = false;
  int64_t count = 0;  // inputs that failed so: the new ones, and the kept ones of earlier campaigns
};

struct Summary {
  std::deque<Finding> findings;
  std::vector<TargetResult> targets;
  std::vector<std::string> notes;
  Milliseconds time{0};
  bool interrupted = false;  // by a signal
  bool recorded = true;      // whether all files could be written
  int64_t waiting = 0;  // failing inputs, and causes of earlier campaigns, that were not run again
};

// Runs a campaign. SIGINT, SIGTERM and SIGHUP end it early but cleanly. Errors: the folder cannot
// be used, or another campaign uses it.
absl::StatusOr<Summary> run(const Options& options);

// Returns 0 if nothing was found, 1 if there are findings or inputs that wait, and 2 if a target could
// not run or a file could not be written.
int exit_status(const Summary& summary);

}  // namespace tileproof::campaign

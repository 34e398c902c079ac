// SPDX-License-Identifier: Apache-2.0
// The record of the campaigns in a folder: DIR/state.json, one JSON object, replaced as a whole.
//
// Reports need it: which findings there were, and the coverage over time. What a campaign goes on
// from is in the folders of its targets, so a campaign that was killed loses nothing but counts.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace tileproof::campaign {

// The numbers of a target at one time.
struct Sample {
  int64_t milliseconds = 0;  // since the first campaign began, without pauses
  int64_t executions = 0;    // of all campaigns
  int64_t edges = 0;         // at the last merge
  int64_t features = 0;      // of libFuzzer: edges with counters and comparisons
  int64_t inputs = 0;        // kept inputs
};

struct TargetState {
  std::string name;
  int64_t executions = 0;
  int64_t milliseconds = 0;  // running time of its program
  std::vector<Sample> samples;
};

struct Finding {
  std::string target;
  std::string key;    // key_of(cause)
  std::string cause;  // Cause::text
  std::string line;   // Cause::line
  std::string input;  // file relative to DIR; empty: it could not be written
  bool minimized = false;
  bool gone = false;  // no longer fails
  int64_t count = 0;  // inputs that failed so
  std::string seen;   // first time, UTC
};

struct State {
  int64_t campaigns = 0;
  int64_t milliseconds = 0;  // of all of them
  std::deque<TargetState> targets;
  std::deque<Finding> findings;
};

// Returns the state of a target; adds it if there is none.
TargetState& state_of(State& state, const std::string& target);

// Returns the finding of a target with that key, or null.
Finding* finding_of(State& state, const std::string& target, const std::string& key);

// Adds a sample, or replaces the last one if the coverage is the same as in the two before.
void add_sample(TargetState& target, const Sample& sample);

// Reads the state. A missing file is the empty state. Errors: an unreadable or invalid file.
absl::StatusOr<State> read_state(const std::filesystem::path& file);
absl::Status write_state(const std::filesystem::path& file, State state);

}  // namespace tileproof::campaign

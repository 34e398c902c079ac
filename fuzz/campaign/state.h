// SPDX-License-Identifier: Apache-2.0
// The state of a campaign on disk: DIR/state.json, one JSON object, replaced as a whole after every
// run of a program. If a campaign is killed, the next one goes on from this file, and runs inputs
// in DIR/TARGET/found again that are not in it.
#pragma once

#include <cstdint>
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
  int64_t edges = 0;
  int64_t features = 0;  // of libFuzzer: edges with counters and comparisons
  int64_t inputs = 0;    // kept inputs
};

struct TargetState {
  std::string name;
  int64_t executions = 0;
  int64_t milliseconds = 0;  // running time of its program
  int64_t merged = 0;        // kept inputs after the last merge
  std::vector<Sample> samples;
};

struct Finding {
  std::string target;
  std::string key;    // key_of(cause)
  std::string cause;  // Cause::text
  std::string line;   // Cause::line
  std::string input;  // file relative to DIR; empty: it could not be written
  bool minimized = false;
  bool gone = false;                   // no longer fails
  int64_t count = 0;                   // how often it failed
  std::string seen;                    // first time, UTC
  std::vector<std::string> artifacts;  // names of inputs in DIR/TARGET/found, at most 20
};

struct State {
  int64_t campaigns = 0;
  int64_t milliseconds = 0;  // of all of them
  std::vector<TargetState> targets;
  std::vector<Finding> findings;
};

// Returns the state of a target; adds it if there is none.
TargetState& state_of(State& state, const std::string& target);

// Adds a sample. Beyond 400 samples, drops every second one except the first and the last.
void add_sample(TargetState& target, const Sample& sample);

// Reads the state. A missing file is the empty state. Errors: an unreadable or invalid file.
absl::StatusOr<State> read_state(const std::filesystem::path& file);
absl::Status write_state(const std::filesystem::path& file, const State& state);

}  // namespace tileproof::campaign

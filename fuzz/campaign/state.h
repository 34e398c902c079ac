// What a campaign knows, on disk: DIR/state.json, one JSON object, replaced as a whole after every
// run of a program. Killed at any moment, the next campaign goes on from it; what was found after
// it was written lies in DIR/TARGET/found and is looked at again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace tileproof::campaign {

// Where a target stood at a moment of the campaigns.
struct Sample {
  int64_t milliseconds = 0;  // since the first campaign began, pauses left out
  int64_t executions = 0;    // of all campaigns
  int64_t edges = 0;
  int64_t features = 0;  // of libFuzzer: edges with counters and comparisons
  int64_t inputs = 0;    // kept
};

struct TargetState {
  std::string name;
  int64_t executions = 0;
  int64_t milliseconds = 0;  // that its program ran
  int64_t merged = 0;        // inputs kept when they were last minimised
  std::vector<Sample> samples;
};

struct Finding {
  std::string target;
  std::string key;    // key_of(cause)
  std::string cause;  // in words
  std::string line;   // what the target said
  std::string input;  // the file, relative to DIR; empty: it could not be written
  bool minimized = false;
  bool gone = false;                   // run again, it did not happen
  int64_t count = 0;                   // how often
  std::string seen;                    // when first, UTC
  std::vector<std::string> artifacts;  // names of inputs in DIR/TARGET/found, 20 at most
};

struct State {
  int64_t campaigns = 0;
  int64_t milliseconds = 0;  // of all of them
  std::vector<TargetState> targets;
  std::vector<Finding> findings;
};

// That of a target, made where there is none.
TargetState& state_of(State& state, const std::string& target);

// Adds a sample; of more than 400 every second one goes, but for the first and the last.
void add_sample(TargetState& target, const Sample& sample);

// A file that is not there is the empty state. Errors: it cannot be read, or is none.
absl::StatusOr<State> read_state(const std::filesystem::path& file);
absl::Status write_state(const std::filesystem::path& file, const State& state);

}  // namespace tileproof::campaign

// SPDX-License-Identifier: Apache-2.0
// The findings of a campaign, filed by cause.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "fuzz/campaign/cause.h"
#include "fuzz/campaign/commands.h"
#include "fuzz/campaign/folders.h"
#include "fuzz/campaign/state.h"

namespace tileproof::campaign {

// Returns the finding of a target with that key, or null.
Finding* finding_of(State& state, const std::string& target, const std::string& key);

// Files a failure as a new finding, or counts it for a known one. A known finding keeps up to
// twenty inputs; further ones are removed. A finding that no longer failed gets this input instead
// of its old one.
//
// `artifact` is the input's file in found/. It is empty if libFuzzer could not write it; the input
// is then taken from the `log`, if it has one ("Base64:"). Returns whether the finding is new or
// had no longer failed.
bool file_failure(const TargetLocation& location, const Cause& cause,
                  const std::filesystem::path& artifact, absl::string_view log, State& state,
                  Notes& notes);

// Writes the input of a finding and its regression.
void write_finding(const TargetLocation& location, Finding& finding, const std::string& input,
                   Notes& notes);

// Returns the line that replays the input of a finding.
std::string replay_line(const TargetLocation& location, const Finding& finding);

std::filesystem::path regression_file(const TargetLocation& location, const Finding& finding);

// Returns the inputs in found/ that belong to no finding. They remain if a campaign is killed
// before it files them.
std::vector<std::filesystem::path> unfiled(const TargetLocation& location, const State& state);

bool is_timeout(const Finding& finding);

// Returns whether the finding should be made smaller. For timeouts and lack of memory that would
// take too long.
bool can_be_minimized(const Finding& finding);

}  // namespace tileproof::campaign

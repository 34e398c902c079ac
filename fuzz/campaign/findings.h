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

// The finding of a target with that key, or null.
Finding* finding_of(State& state, const std::string& target, const std::string& key);

// Files a failure: a new finding, or once more of one that is known (then also one of up to twenty
// inputs; further ones are removed). `artifact` is the input's file in found/, or empty where
// libFuzzer could not write it; then it is taken from the `log`, where it stands there ("Base64:").
// One that was gone gets this input, which fails. True if it is new or was gone.
bool file_failure(const TargetLocation& location, const Cause& cause,
                  const std::filesystem::path& artifact, absl::string_view log, State& state,
                  Notes& notes);

// Writes the input of a finding, and its regression.
void write_finding(const TargetLocation& location, Finding& finding, const std::string& input,
                   Notes& notes);

// The line that runs the input of a finding again.
std::string replay_line(const TargetLocation& location, const Finding& finding);

std::filesystem::path regression_file(const TargetLocation& location, const Finding& finding);

// The inputs in found/ that no finding knows: a campaign was killed before it looked at them.
std::vector<std::filesystem::path> unfiled(const TargetLocation& location, const State& state);

bool is_timeout(const Finding& finding);

// Timeouts and lack of memory are not made smaller: it would take too long.
bool can_be_minimized(const Finding& finding);

}  // namespace tileproof::campaign

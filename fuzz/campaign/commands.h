// SPDX-License-Identifier: Apache-2.0
// The command lines of libFuzzer programs that a campaign runs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "fuzz/campaign/target.h"

namespace tileproof::campaign {

// A target, its program and folder, and the seconds that one input may take.
struct TargetLocation {
  const Target& target;
  std::filesystem::path program;
  std::filesystem::path folder;  // folders.h
  int64_t timeout = kInputSeconds;
};

using Command = std::vector<std::string>;

// Fuzzes for some seconds.
Command slice_command(const TargetLocation& location, int64_t seconds);

// Merges: copies to `to` a minimal set of the kept inputs that reaches the same coverage. Keeps its
// control file beside `to`.
Command merge_command(const TargetLocation& location, const std::filesystem::path& to);

// Runs one input.
Command replay_command(const TargetLocation& location, const std::filesystem::path& input);

// Makes a failing input smaller and writes the smallest one to `to`.
Command minimize_command(const TargetLocation& location, const std::filesystem::path& input,
                         const std::filesystem::path& to, int64_t seconds);

}  // namespace tileproof::campaign

// The command lines of libFuzzer programs that a campaign runs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "fuzz/campaign/target.h"

namespace tileproof::campaign {

// A target, where it lives and how long one input may take.
struct TargetLocation {
  const Target& target;
  std::filesystem::path program;
  std::filesystem::path folder;  // folders.h
  int64_t timeout = kInputSeconds;
};

using Command = std::vector<std::string>;

// Fuzzes for so many seconds.
Command slice_command(const TargetLocation& location, int64_t seconds);

// Copies into `to` the fewest of the kept inputs that reach as much. The control file of the merge
// is beside it.
Command merge_command(const TargetLocation& location, const std::filesystem::path& to);

// Runs one input.
Command replay_command(const TargetLocation& location, const std::filesystem::path& input);

// Writes the smallest input that fails to `to`.
Command minimize_command(const TargetLocation& location, const std::filesystem::path& input,
                         const std::filesystem::path& to, int64_t seconds);

}  // namespace tileproof::campaign

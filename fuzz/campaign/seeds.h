// Seed inputs and dictionaries of the targets, made from corpus/.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "fuzz/campaign/target.h"

namespace tileproof::campaign {

// A sample for a campaign, which runs its seeds again and again.
inline constexpr size_t kSampledSeeds = 500;

// The inputs that a target starts from: not more than `most` of a file, evenly spread. What cannot
// be read is left out and told in `notes`, one line each. A target whose inputs are choices has
// none.
struct Seed {
  std::string name;  // as a file
  std::string content;
};
std::vector<Seed> seeds_of(const Target& target, const std::filesystem::path& corpus,
                           std::vector<std::string>& notes, size_t most = kSampledSeeds);

// The words of the seeds, the most frequent first, 256 at most, as a libFuzzer dictionary: one
// "word" a line.
std::string dictionary_of(const std::vector<Seed>& seeds);

// The options of a target as OSS-Fuzz reads them, beside the program: an INI file.
std::string options_of(const Target& target);

}  // namespace tileproof::campaign

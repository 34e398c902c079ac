// SPDX-License-Identifier: Apache-2.0
// Makes the seed inputs and dictionaries of the targets from corpus/.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "fuzz/campaign/target.h"

namespace tileproof::campaign {

// Returns the texts of a corpus file: its lines; the modules of a file that has several lines for
// each, except those that are commented out; the answers of a golden file (verify/golden/golden.h).
std::vector<std::string> texts_in(const std::filesystem::path& corpus, const std::string& name);

// The seeds of a campaign are a sample, because it runs them again and again.
inline constexpr size_t kSampledSeeds = 500;

// The initial inputs of a target: at most `most` of a file, evenly spread. Adds a note of one line
// for each file that has none. A target whose inputs are choices has no seeds.
struct Seed {
  std::string name;  // file name
  std::string content;
};
std::vector<Seed> seeds_of(const Target& target, const std::filesystem::path& corpus,
                           std::vector<std::string>& notes, size_t most = kSampledSeeds);

// Returns the words of the seeds as a libFuzzer dictionary, one "word" per line: the most frequent
// first, at most 256.
std::string dictionary_of(const std::vector<Seed>& seeds);

// Returns the options of a target as the INI file that OSS-Fuzz reads beside the program.
std::string options_of(const Target& target);

}  // namespace tileproof::campaign

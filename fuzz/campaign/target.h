// SPDX-License-Identifier: Apache-2.0
// The fuzz targets: one for each question, with what a campaign must know about it.
//
// This table serves everybody who runs them: `tileproof fuzz`, and the build script of OSS-Fuzz and
// ClusterFuzzLite, which gets seed archives, dictionaries and options from fuzz_seeds. For that
// script, target.cc, seeds.cc and fuzz_seeds.cc need only the standard library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace tileproof::campaign {

// A corpus file to which findings belong.
struct Regressions {
  std::string file;
  std::string comment = "#";  // start of a comment line
  bool modules = false;       // entries of several lines, each after a line // -----
};

// How libFuzzer chooses the input that it changes next.
enum class Schedule {
  kNewest,  // newer inputs more often. Choosing costs nothing
  kEntropy,  // inputs with rare coverage more often, and fast ones before slow ones. libFuzzer counts
             // how often each feature was seen, which costs most where inputs have many features
};

inline constexpr int64_t kInputSeconds = 25;  // an input that takes longer is a finding

struct Limits {
  size_t lines = 1;                        // of a seed file in one input
  int64_t longest = 512;                   // bytes of an input
  int64_t memory_mb = 2048;                // resident, including memory of the sanitizers
  Schedule schedule = Schedule::kEntropy;  // another where that found more in as much time
};

struct Target {
  std::string name;  // its program is <name>_fuzzer
  // The same question about an input, or one of several, asked of the program: a command of bash, or a
  // request of the protocol whose answer is judged. {} is the input, {1} and {2} are its lines, and {*}
  // is all of them.
  std::string ask = {};
  // Files of corpus/. None: an input is choices, from which a generator makes a text
  // (generate/choose/choose.h, input_text.cc).
  std::vector<std::string> seeds = {};
  Regressions regressions = {};
  Limits limits = {};
};

// The options of libFuzzer for the schedule: {{"entropic", 0}}.
std::vector<std::pair<std::string, int64_t>> options_of(Schedule schedule);

const std::vector<Target>& all_targets();

// ---- Seeds: seeds.cc ----
//
// Makes the seed inputs and dictionaries of the targets from corpus/.

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

// SPDX-License-Identifier: Apache-2.0
// Writes options, dictionaries and seeds of all targets:
//
//     fuzz_seeds CORPUS OUT [--all]
//
// Each target gets OUT/NAME_fuzzer.options. If its inputs are texts, it also gets
// OUT/NAME_fuzzer.dict and the folder OUT/NAME_fuzzer_seed_corpus with one file per input: a sample
// of large files of the corpus, or with --all everything.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include "fuzz/campaign/target.h"

namespace {

namespace fs = std::filesystem;

bool write(const fs::path& path, const std::string& content) {
  std::ofstream file(path, std::ios::binary);
  file << content << std::flush;
  if (!file) std::fprintf(stderr, "fuzz_seeds: cannot write %s\n", path.c_str());
  return file.good();
}

}  // namespace

int main(int argc, char** argv) {
  using namespace tileproof::campaign;
  const bool all = argc == 4 && std::string(argv[3]) == "--all";
  if (argc != 3 && !all) {
    std::fprintf(stderr, "fuzz_seeds: expected CORPUS OUT [--all]\n");
    return 2;
  }
  const fs::path out = argv[2];
  const size_t most = all ? std::numeric_limits<size_t>::max() : kSampledSeeds;
  bool good = true;
  std::error_code error;
  fs::create_directories(out, error);
  for (const Target& target : all_targets()) {
    std::vector<std::string> notes;
    const std::vector<Seed> seeds = seeds_of(target, argv[1], notes, most);
    for (const std::string& note : notes) {
      std::fprintf(stderr, "fuzz_seeds: %s: %s\n", target.name.c_str(), note.c_str());
      good = false;
    }
    const std::string program = target.name + "_fuzzer";
    good &= write(out / (program + ".options"), options_of(target));
    if (seeds.empty()) continue;
    good &= write(out / (program + ".dict"), dictionary_of(seeds));
    const fs::path folder = out / (program + "_seed_corpus");
    fs::create_directories(folder, error);
    for (const Seed& seed : seeds) good &= write(folder / seed.name, seed.content);
  }
  return good ? 0 : 1;
}

// The fuzz targets: one for each question, and what a campaign has to know of each.
//
// One table for everybody who runs them: `tileproof fuzz`, and the build script of OSS-Fuzz and
// ClusterFuzzLite, which gets its seed archives, dictionaries and options from fuzz_seeds. For that
// script's sake target.cc, seeds.cc and fuzz_seeds.cc need nothing but the standard library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tileproof::campaign {

// What an input is: texts that can be pasted (a shape, a nested layout, maps, a module, a request),
// or choices of a generator (fuzz/choose.h): of modules, of layouts, or of something else, which
// only the finding shows.
enum class Input { kShape, kNested, kMap, kHlo, kRequest, kChoices, kLayoutChoices, kBytes };

struct Target {
  std::string name;  // its program is <name>_fuzzer
  Input input = Input::kShape;
  std::vector<std::string> seeds =
      {};                        // files of corpus/; of .hlo files the modules between // -----
  size_t lines = 1;              // of a seed file, in one input
  int64_t longest = 512;         // bytes of an input
  int64_t memory_mb = 2048;      // resident; the sanitizers' own memory is part of it
  std::string regressions = "";  // the file of corpus/ that its findings belong into
};

const std::vector<Target>& all_targets();

}  // namespace tileproof::campaign

// SPDX-License-Identifier: Apache-2.0
// The fuzz targets: one for each question, with what a campaign must know about it.
//
// This table serves everybody who runs them: `tileproof fuzz`, and the build script of OSS-Fuzz and
// ClusterFuzzLite, which gets seed archives, dictionaries and options from fuzz_seeds. For that
// script, target.cc, seeds.cc and fuzz_seeds.cc need only the standard library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tileproof::campaign {

// What an input is: a text of one of these kinds, or choices from which a generator makes a text
// (generate/choose/choose.h).
enum class Input {
  kShape,
  kNested,
  kMap,
  kMlir,
  kHlo,
  kStableHlo,
  kHloProto,
  kRequest,
  kTrace,        // steps of a simplification
  kOperation,    // choices of a module of one operation
  kComputation,  // choices of a module of several operations
  kLayout,       // choices of a layout of any system
  kAlgebra,      // choices of operands of the layout algebra
};

// The question about an input. input_text.h asks the program the same question.
enum class Question {
  kIsLayout,      // does it parse, and as what?
  kLayout,        // does the closed form of a layout agree with the definition?
  kConversions,   // are its conversions to each system the same layout?
  kRelayout,      // does a copy from one layout into another move every element?
  kLaws,          // do the laws of the layout algebra hold?
  kIsMap,         // does it parse, and as what?
  kIsMlir,        // which maps and memrefs does it hold?
  kSimplified,    // does the simplified map have the same meaning?
  kComposed,      // is the composed map second(first(x))?
  kEqual,         // are two maps equal?
  kMapFunctions,  // are the other functions of a map right?
  kIsModule,      // does it parse, and as what?
  kIndexing,      // are the indexing maps of a module right?
  kModuleAccess,  // are the access analyses of a module right?
  kAnswer,        // is the answer to a request right?
  kTrace,         // is an accepted trace correct?
};

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
             // how often each feature was seen, in every run: up to half of the time of a target
};

inline constexpr int64_t kInputSeconds = 25;  // an input that takes longer is a finding

struct Target {
  std::string name;  // its program is <name>_fuzzer
  Input input = Input::kShape;
  Question question = Question::kIsLayout;
  std::vector<std::string> seeds = {};  // files of corpus/; in .hlo files, modules between // -----
  size_t lines = 1;                     // lines of a seed file in one input
  int64_t longest = 512;                // bytes of an input
  int64_t memory_mb = 2048;             // resident, including memory of the sanitizers
  Schedule schedule = Schedule::kNewest;  // what found more coverage in as much time
  Regressions regressions = {};
};

// The options of libFuzzer for the schedule: {{"entropic", 0}}.
std::vector<std::pair<std::string, int64_t>> options_of(Schedule schedule);

const std::vector<Target>& all_targets();

}  // namespace tileproof::campaign

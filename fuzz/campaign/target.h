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

// What an input is: a text that can be pasted, of one of these kinds; or the choices of a generator
// (generate/choose/choose.h), which makes a text of them.
enum class Input {
  kShape,
  kNested,
  kMap,
  kHlo,
  kRequest,
  kTrace,        // steps of a simplification
  kOperation,    // choices of a module of one operation
  kComputation,  // .. of a module of several
  kLayout,       // .. of a layout of any system
  kAlgebra,      // .. of operands of the layout algebra
};

// What is asked about an input. input_text.h puts the same question to the program.
enum class Question {
  kIsLayout,      // is it read, and as what?
  kLayout,        // is the closed form of a layout the definition?
  kConversions,   // is it, written as a layout of each system, the same?
  kLaws,          // do the laws of the layout algebra hold?
  kIsMap,         // is it read, and as what?
  kSimplified,    // is the simplified map the same?
  kComposed,      // .. the composed one second(first(x))?
  kEqual,         // are two maps equal?
  kMapFunctions,  // what is done with a map besides
  kIsModule,      // is it read, and as what?
  kIndexing,      // are the maps of a module what flows?
  kModuleAccess,  // what is done with these maps
  kAnswer,        // is a request answered rightly?
  kTrace,         // is what a trace is accepted to say so?
};

// A file of corpus/ that findings belong into.
struct Regressions {
  std::string file;
  std::string comment = "#";  // what a line begins with that is none
  bool modules = false;       // texts of several lines, each after a line // -----
};

inline constexpr int64_t kInputSeconds = 25;  // more for one input is a finding

struct Target {
  std::string name;  // its program is <name>_fuzzer
  Input input = Input::kShape;
  Question question = Question::kIsLayout;
  std::vector<std::string> seeds =
      {};                    // files of corpus/; of .hlo files the modules between // -----
  size_t lines = 1;          // of a seed file, in one input
  int64_t longest = 512;     // bytes of an input
  int64_t memory_mb = 2048;  // resident; the sanitizers' own memory is part of it
  Regressions regressions = {};
};

const std::vector<Target>& all_targets();

}  // namespace tileproof::campaign

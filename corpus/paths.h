// SPDX-License-Identifier: Apache-2.0
// Where tests find files and programs. The folders of this clone are compiled into paths.cc alone, so
// that the compiler cache serves the tests of every clone.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace tileproof {

// A file of the project: project_path("corpus/maps/chains.txt").
std::string project_path(absl::string_view path);

// A file that was built: build_path("bin/tileproof").
std::string build_path(absl::string_view path);

// The folder of the unpacked dumps of HLO, for tests that link hlo_corpus.
inline std::string hlo_corpus() { return build_path("corpus/hlo/unpacked/hlo"); }

// The folder of the labelled pairs of modules, for tests that link labelled_pairs.
inline std::string labelled_pairs() { return build_path("corpus/pairs/unpacked"); }

// A file of XLA's unpacked answers, for tests that link xla_answers.
inline std::string xla_answers(const std::string& name) {
  return build_path("corpus/xla/unpacked/xla/" + name + ".jsonl");
}

}  // namespace tileproof

// SPDX-License-Identifier: Apache-2.0
// The checks that must kill every mutant: the comparisons with the reference (the same that
// campaigns make), the golden answers, and the unit tests. They are linked with the mutated
// implementation and never with the original.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace tileproof::mutants {

struct Check {
  std::string name;   // "layout"
  int64_t cases = 0;  // run for every mutant they reach; `endless`: more follow
  bool endless = false;
  // Runs case i. Returns "" if it passes, else one line.
  std::function<std::string(int64_t)> run;
  // Every case passes without a mutant. If false, failing cases are skipped and counted.
  bool holds = true;
};

Check layout_check();
std::vector<Check> map_checks();
std::vector<Check> hlo_checks();
std::vector<Check> access_checks();
Check golden_check(absl::string_view file);  // of corpus/golden
Check changed_check();                       // variations of those modules
std::vector<Check> xla_checks();             // of mutants of spec/

// The unit tests of GoogleTest, each a case; if `only` is not empty, those whose names contain one.
Check unit_tests(const std::vector<std::string>& only, int argc, char** argv);

}  // namespace tileproof::mutants

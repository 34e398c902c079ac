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
  std::string name;                // "layout"
  std::function<int64_t()> cases;  // run for every mutant they reach; `endless`: more follow
  bool endless = false;
  // Runs case i. Returns "" if it passes, else one line.
  std::function<std::string(int64_t)> run;
  // Every case passes without a mutant. If false, failing cases are skipped and counted.
  bool holds = true;
};

// The checks of the room whose mutants this program has. What a check is about, such as a file of the
// corpus, is read when it is first needed: a process that tries one mutant runs few checks. `tests`
// is for unit_tests().
std::vector<Check> checks_of_room(const std::vector<std::string>& tests);

inline std::function<int64_t()> always(int64_t cases) {
  return [cases] { return cases; };
}

Check layout_check();
std::vector<Check> map_checks();
std::vector<Check> hlo_checks();
std::vector<Check> access_checks();
Check golden_check(absl::string_view file);  // of corpus/golden
Check changed_check();                       // variations of those modules
std::vector<Check> xla_checks();             // of mutants of spec/

// The unit tests of GoogleTest, each a case; if `only` is not empty, those whose names contain one.
Check unit_tests(const std::vector<std::string>& only);

}  // namespace tileproof::mutants

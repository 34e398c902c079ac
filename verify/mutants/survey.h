// SPDX-License-Identifier: Apache-2.0
// Which cases of the checks execute each mutant. try_mutants.py tries each mutant with these cases.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "verify/mutants/checks.h"

namespace tileproof::mutants {

struct Case {
  int check = 0;
  int64_t number = 0;
  double seconds = 0;  // without a mutant
};

// Cases are separated by spaces: "layout:12:0.004 tests:3:0.1", a check, a number and its seconds.
std::string to_text(const std::vector<Check>& checks, const std::vector<Case>& cases);

struct MutantCoverage {
  // For each mutant some of the cases that execute it, fastest first; for mutant::kNone one case of
  // each check.
  std::map<int, std::vector<Case>> executing;
  std::string wrong;  // a case that fails without a mutant; if not empty, the rest is invalid
  int64_t cases = 0;
};

// Runs `percent` of the cases without a mutant; prints a line for each check to stderr.
MutantCoverage survey(const std::vector<Check>& checks, int64_t percent,
                      const absl::flat_hash_set<int>& wanted);

// The processor time of this process, in seconds.
double processor_time();

}  // namespace tileproof::mutants

// SPDX-License-Identifier: Apache-2.0
// Trials: which cases execute a mutant, and which of them kills it. The process runs the cases with
// limits of processor time and memory of its own; try_mutants.py starts one for each mutant, and
// judges a crash.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "verify/mutants/checks.h"

namespace tileproof::mutants {

struct Case {
  int check = 0;
  int64_t number = 0;
  double seconds = 0;  // without a mutant
};

// Cases are separated by spaces: "layout:12:0.004 tests:3:0.1", a check, a number and its seconds.
std::string to_text(const std::vector<Check>& checks, const std::vector<Case>& cases);
// Errors: a case of no check, or one that has not the form above.
absl::StatusOr<std::vector<Case>> parse_cases(const std::vector<Check>& checks,
                                              absl::string_view text);

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

// The numbered cases of a mutant: first those of the survey, then an endless sequence of random
// ones that takes turns among the endless checks that execute the mutant.
class Course {
 public:
  Course(const std::vector<Check>& checks, std::vector<Case> known);

  const std::vector<Check>& checks() const { return checks_; }
  int64_t listed() const { return std::ssize(known_); }
  bool is_endless() const { return !endless_.empty(); }
  Case at(int64_t step) const;
  double listed_limit() const;  // for all known cases, in seconds of processor time

 private:
  const std::vector<Check>& checks_;
  std::vector<Case> known_;
  std::vector<int> endless_;
};

struct Progress {
  int64_t step = 0;
  double spent = 0;  // processor time for random cases, in seconds
};

struct Limits {
  double seconds = 60;       // processor time for a mutant's random cases
  double case_seconds = 10;  // for one random case
};

// Bounds the memory of this process, and leaves no core.
void bound_memory();

// Runs the cases from `from` on with the active mutant; `before` is called before each. Returns
// "killed CHECK NUMBER", "survived", or "wrong without a mutant: CHECK NUMBER": a random case fails
// without the mutant, too, although its check holds.
std::string try_mutant(const Course& course, Progress from, const Limits& limits,
                       absl::FunctionRef<void(const Progress&, const Case&)> before);

// Returns whether the cases of the steps first to last pass, in half the time that a mutant has.
bool pass(const Course& course, int64_t first, int64_t last, const Limits& limits);

}  // namespace tileproof::mutants

// SPDX-License-Identifier: Apache-2.0
// Trials: runs one mutant in one process and reports which check kills it, if any.
#pragma once

#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "verify/mutants/checks.h"
#include "verify/mutants/mutant_table.h"

namespace tileproof::mutants {

struct Case {
  int check = 0;
  int64_t number = 0;
  double seconds = 0;  // without a mutant
};

// For each mutant some of the cases that reach it, fastest first; for mutant::kNone one case of
// each check.
using ExecutingCases = absl::flat_hash_map<int, std::vector<Case>>;

struct MutantCoverage {
  ExecutingCases executing;
  std::string wrong;  // a case that fails without a mutant; if not empty, the rest is invalid
  int64_t cases = 0;
};

using Stop = std::function<bool()>;

// Runs the cases without a mutant until `stop`: all cases of finite checks, and `percent` of the
// cases of each endless check (at least one).
MutantCoverage survey(const std::vector<Check>& checks, int64_t percent, const Stop& stop);

// A crash and a timeout count as killed if the same cases end normally without the mutant, with the
// same memory limit and in half the time.
// kWrong: survived, but a case fails, crashes or times out without the mutant, too.
// kStopped: killed by an outside signal, twice.
enum class Outcome : uint8_t { kKilled, kCrashed, kHung, kSurvived, kUnreached, kWrong, kStopped };

struct Trial {
  Outcome outcome = Outcome::kUnreached;
  std::string by;  // check and case; signal; for a survivor the cases that reach it
};

struct Limits {
  double seconds = 60;                // processor time for a mutant's random cases
  double case_seconds = 10;           // for one case
  int64_t memory = int64_t{3} << 30;  // bytes per process
};

// Tries mutants in child processes, `jobs` at a time, and calls `done` for each in any order. A
// mutant that survives the cases of the survey gets random ones. `stop` is polled before each
// mutant and on each signal; mutants still running then are not reported.
void try_mutants(const std::vector<Check>& checks, const MutantCoverage& survey,
                 const std::vector<mutant::Mutant>& mutants, int jobs, const Limits& limits,
                 const Stop& stop,
                 const std::function<void(const mutant::Mutant&, const Trial&)>& done);

}  // namespace tileproof::mutants

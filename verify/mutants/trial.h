// One fault, one process: does any check notice?
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
  double seconds = 0;  // without a fault
};

// By fault, some of the cases that reach it, the quick ones first; a few for fault::kNone.
using Reaching = absl::flat_hash_map<int, std::vector<Case>>;

struct Survey {
  Reaching reaching;
  std::string wrong;  // what fails without any fault; empty, or nothing else can be told
  int64_t cases = 0;
};

using Stop = std::function<bool()>;

// Runs all cases without a fault, until `stop`. `percent` of the cases of each endless check, at
// least one.
Survey survey(const std::vector<Check>& checks, int64_t percent, const Stop& stop);

// A crash, and a case that does not end, count where the same cases end well without the fault
// under the same limit of memory and in half the time. kWrong: survived, but a case is wrong, or
// does not end well, without the fault too. kStopped: ended from outside, twice.
enum class Outcome : uint8_t { kKilled, kCrashed, kHung, kSurvived, kUnreached, kWrong, kStopped };

struct Trial {
  Outcome outcome = Outcome::kUnreached;
  std::string by;  // the check and its number; the signal; of a survivor the cases that come by it
};

struct Limits {
  double seconds = 60;                // of processor time, for the random cases of a fault
  double case_seconds = 10;           // for one of them
  int64_t memory = int64_t{3} << 30;  // bytes, of a process
};

// Tries faults in child processes, `jobs` at a time, and calls `done` for each, in any order. A
// fault that the cases of the survey let pass is given random ones. On `stop` (asked before each,
// and when a signal comes) nothing is said of those that are being tried.
void try_mutants(const std::vector<Check>& checks, const Survey& survey,
                 const std::vector<mutant::Mutant>& mutants, int jobs, const Limits& limits,
                 const Stop& stop,
                 const std::function<void(const mutant::Mutant&, const Trial&)>& done);

}  // namespace tileproof::mutants

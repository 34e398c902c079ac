// The faults that were seeded, and which of them a piece of work reaches.
#pragma once

#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"

namespace tileproof::mutant {

struct Mutant {
  int number = 0;
  int line = 0;
  std::string file;  // "impl/layout/digits.cc"
  std::string name;  // outlives edits elsewhere (verify/mutants/seed_mutants.py)
};

// Those of faults.tsv that are known to the program: whose change has a meaning. Errors: a line of
// another form, no fault at all.
absl::StatusOr<std::vector<Mutant>> read_mutants(const std::string& path);

using Reached = absl::flat_hash_set<int>;
Reached record(absl::FunctionRef<void()> run);

}  // namespace tileproof::mutant

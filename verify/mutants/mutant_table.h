// SPDX-License-Identifier: Apache-2.0
// The seeded mutants, and which of them a function reaches.
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
  std::string kind;  // "operator", "bound", .. (docs/mutation.md)
  std::string name;  // stable under edits of other lines (seed_mutants.py)
};

// Reads the mutants of mutants.tsv that this program registered, i.e. whose change compiles.
// Errors: a malformed line, no mutants.
absl::StatusOr<std::vector<Mutant>> read_mutants(const std::string& path);

using Reached = absl::flat_hash_set<int>;
Reached record(absl::FunctionRef<void()> run);

}  // namespace tileproof::mutant

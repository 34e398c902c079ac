// SPDX-License-Identifier: Apache-2.0
// Mutants by name: reads the lists of corpus/mutants and selects the mutants to try.
//
//     # a comment
//     impl/layout/digits.cc: `if (a.size == b.size) return a;` == is !=
//       an indented line: why the mutant is on the list
//     impl/map/normal_form/linear.cc: `if (slot.hash != key.hash) continue;` without continue;
//     impl/map/normal_form/linear.cc: `epoch_ = 1;` 1 is 2
//       consecutive names, with no empty line or comment between: one reason for all of them
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "verify/mutants/mutant_table.h"

namespace tileproof::mutants {

// kEach: at least one line with a reason follows every name or run of names.
// kNone: no reasons are allowed. kSome: reasons are optional.
enum class Reasons : uint8_t { kNone, kEach, kSome };

struct MutantList {
  std::vector<std::string> names;     // in the order of the file
  std::vector<std::string> problems;  // "FILE:LINE: .."; if any, do not use the list
};

// Reports as problems: an unreadable file, a name that is not a mutant of this build (editing a
// line renames its mutants), a duplicate name, a missing reason, and a reason without a name.
MutantList read_list(const std::string& path, const std::vector<mutant::Mutant>& all,
                     Reasons reasons);

// Returns one line for each file with fewer than `least` mutants in `names`, unless all of its
// mutants are there.
std::vector<std::string> thin_files(const std::vector<mutant::Mutant>& all,
                                    const std::vector<std::string>& names, int64_t least);

struct Selection {
  std::optional<std::vector<std::string>> listed = {};  // these mutants
  std::vector<std::string> names = {};                  // and these; if neither is given: all
  std::vector<std::string> files = {};                  // restricts to these files; empty: any
  std::vector<std::string> kinds = {};                  // restricts to these kinds; empty: any
  int64_t of_each_file = 0;                             // random choice for each file; 0: all
  int64_t sample = 0;                                   // random choice; 0: all
  int64_t seed = 1;
};

// Keeps the order of `all`; the result is not empty. Errors: a name that is not a mutant, a file
// or a kind without mutants, an empty result.
absl::StatusOr<std::vector<mutant::Mutant>> select(const std::vector<mutant::Mutant>& all,
                                                   const Selection& selection);

// Puts the mutants in random order.
void shuffle(std::vector<mutant::Mutant>& mutants, int64_t seed);

}  // namespace tileproof::mutants

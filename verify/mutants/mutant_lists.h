// Faults by their names: the lists of corpus/mutants, and which faults are asked for.
//
//     # a comment
//     impl/layout/digits.cc: `if (a.size == b.size) return a;` == is !=
//       an indented line: why it is on the list
//     impl/map/normal_form/linear.cc: `if (slot.hash != key.hash) continue;` without continue;
//     impl/map/normal_form/linear.cc: `epoch_ = 1;` 1 is 2
//       names in a row, with no empty line or comment between: why all of them are
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "verify/mutants/mutant_table.h"

namespace tileproof::mutants {

// kEach: every name, or row of names, is followed by at least one line that says why; kNone: no
// name is; kSome: as it comes.
enum class Reasons : uint8_t { kNone, kEach, kSome };

struct MutantList {
  std::vector<std::string> names;     // in the order of the file
  std::vector<std::string> problems;  // "FILE:LINE: .."; with any the list is not to be used
};

// A problem: a file that cannot be read, a name that is none of the faults (an edit of a line gives
// its faults other names) or stands there twice, a reason that is missing or belongs to no name.
MutantList read_list(const std::string& path, const std::vector<mutant::Mutant>& all,
                     Reasons reasons);

// The files of which fewer than `least` faults are named, but not all: a line for each.
std::vector<std::string> thin_files(const std::vector<mutant::Mutant>& all,
                                    const std::vector<std::string>& names, int64_t least);

struct Selection {
  std::optional<std::vector<std::string>> listed = {};  // of these
  std::vector<std::string> names = {};                  // and of these
  std::vector<std::string> files = {};                  // and in these; any where empty
  int64_t of_each_file = 0;                             // as many of each file, at random; 0: all
  int64_t sample = 0;                                   // as many, at random; 0: all
  int64_t seed = 1;
};

// In the order of `all`; at least one. Errors: a name that is no fault, a file without faults,
// nothing is left.
absl::StatusOr<std::vector<mutant::Mutant>> select(const std::vector<mutant::Mutant>& all,
                                                   const Selection& selection);

// The faults in random order.
void shuffle(std::vector<mutant::Mutant>& mutants, int64_t seed);

}  // namespace tileproof::mutants

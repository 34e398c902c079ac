// SPDX-License-Identifier: Apache-2.0
// The results of mutants, kept in a file from one run to the next.
//
//     # checks 93ab1f0c2d5e7788
//     killed layout 12<tab>impl/layout/digits.cc: `if (a.size == b.size) return a;` == is !=
#pragma once

#include <fstream>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tileproof::mutants {

using Results = std::map<std::string, std::string>;  // by the mutant's name: "killed layout 12"

// Results are valid for one set of checks only. The file stores a hash of the checks; if the hash
// differs, the record starts empty.
class Record {
 public:
  // An empty path keeps nothing on disk. Errors: the file cannot be written.
  static absl::StatusOr<Record> open(const std::string& path, absl::string_view checks);

  Results results;

  // `keep`: write the result to the file, too.
  void add(const std::string& name, const std::string& result, bool keep);

 private:
  std::ofstream file_;
};

// Hashes the bytes of this program (all checks and the mutated implementation) and the files of the
// corpus except the lists of mutants. 16 hexadecimal digits.
std::string hash_of_checks(const std::string& corpus);

}  // namespace tileproof::mutants

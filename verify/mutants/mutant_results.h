// What came of faults, kept on file from one run to the next.
//
//     # checks 93ab1f0c2d5e7788
//     caught layout 12<tab>impl/layout/digits.cc: `if (a.size == b.size) return a;` == is !=
#pragma once

#include <fstream>
#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tileproof::mutants {

using Results = std::map<std::string, std::string>;  // by name of the fault: "caught layout 12"

// What came of a fault says nothing once the checks are others. So a record is of certain checks:
// opened for others it begins anew.
class Record {
 public:
  // Without a path results are not kept. Errors: the file cannot be written.
  static absl::StatusOr<Record> open(const std::string& path, absl::string_view checks);

  Results results;

  // `keep`: on file, too.
  void add(const std::string& name, const std::string& result, bool keep);

 private:
  std::ofstream file_;
};

// Of this program's bytes, which all checks and the faulty implementation are in, and of the files
// of the corpus, but for the lists of faults. 16 hexadecimal digits.
std::string hash_of_checks(const std::string& corpus);

}  // namespace tileproof::mutants

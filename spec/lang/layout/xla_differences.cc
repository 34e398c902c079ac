// SPDX-License-Identifier: Apache-2.0
#include "spec/lang/layout/xla_differences.h"

#include <cstdlib>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "spec/lang/layout/differences_table.h"

namespace tileproof {
namespace {

std::vector<Difference> read_table() {
  using Kind = Difference::Kind;
  std::vector<Difference> all;
  for (const absl::string_view line : absl::StrSplit(kDifferencesTable, '\n', absl::SkipEmpty())) {
    if (absl::StartsWith(line, "#")) continue;
    const std::vector<absl::string_view> fields = absl::StrSplit(line, '\t');
    const Kind kind = fields[1] == "rejected"   ? Kind::kRejected
                      : fields[1] == "accepted" ? Kind::kAccepted
                                                : Kind::kSize;
    all.push_back({fields[0], kind, fields[2], fields[3], fields[4]});
  }
  return all;
}

}  // namespace

absl::Span<const Difference> differences() {
  static const auto* const table = new std::vector<Difference>(read_table());
  return *table;
}

const Difference& difference(absl::string_view name) {
  for (const Difference& entry : differences()) {
    if (entry.name == name) return entry;
  }
  std::abort();  // a misspelled name in our own code
}

}  // namespace tileproof

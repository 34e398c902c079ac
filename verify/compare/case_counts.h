// SPDX-License-Identifier: Apache-2.0
// What comparisons of many inputs showed.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tileproof::verify {

// How often each kind of result occurred: {"arrays equal", 12}.
using CaseCounts = std::map<std::string, int64_t>;

// "12 arrays equal, 3 refused"
inline std::string to_text(const CaseCounts& tally) {
  return absl::StrJoin(tally, ", ", [](std::string* out, const auto& count) {
    absl::StrAppend(out, count.second, " ", count.first);
  });
}

}  // namespace tileproof::verify

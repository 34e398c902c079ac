// SPDX-License-Identifier: Apache-2.0
// What comparisons of many inputs showed.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace tileproof::verify {

// How often each kind of result occurred: {"arrays equal", 12}.
using CaseCounts = std::map<std::string, int64_t>;

}  // namespace tileproof::verify

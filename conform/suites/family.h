// SPDX-License-Identifier: Apache-2.0
// Bounded families of requests: `conform --exhaustive` asks all of a family.
//
//     Family family = family_of(1, [](size_t, Choose& choose) {
//       return std::vector<Json>{Json(choose(2)), Json(10)};
//     });
//
// The family gives 10, 0, 10, 1: for each choice, its list from last to first.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "conform/protocol/json.h"
#include "generate/choose/choose.h"

namespace tileproof::conform {

// Each call gives the next request; no value after the last one.
using Family = std::function<std::optional<Json>()>;

// Calls make(part, choose) for each part below `parts` and each sequence of its choices, and gives
// the requests of each call from last to first. If a part makes no choices, it is called once.
Family family_of(size_t parts, std::function<std::vector<Json>(size_t part, Choose& choose)> make);

}  // namespace tileproof::conform

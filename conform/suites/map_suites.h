// SPDX-License-Identifier: Apache-2.0
// The requests of the suites `map` (evaluation), `simplify`, `compose` and `equal`.
//
// generate/map/generate_map.h makes the maps: arbitrary valid maps, and the chains that compilers
// make. Some maps are rewritten into equal ones (generate/map/equivalent_rewrite.h), some are
// large, and some have numbers near the ends of 64 bits. A few requests are invalid. The suites
// only make requests; the judge knows the answers.
//
//     {"op":"map.simplify","map":"(d0) -> (d0 mod 6), domain: d0 in [0, 3]"}
#pragma once

#include <vector>

#include "conform/protocol/json.h"
#include "conform/protocol/protocol.h"
#include "generate/choose/choose.h"

namespace tileproof::conform {

// One request each.
Json evaluate_request(absl::string_view map, std::vector<int64_t> dims, std::vector<int64_t> ranges,
                      std::vector<int64_t> runtime);
Json simplify_request(absl::string_view map);
Json compose_request(absl::string_view first, absl::string_view second);
Json equal_request(absl::string_view left, absl::string_view right);

Json make_map_request(Choose& choose, const Limits& limits);
Json make_simplify_request(Choose& choose, const Limits& limits);
Json make_compose_request(Choose& choose, const Limits& limits);
Json make_equal_request(Choose& choose, const Limits& limits);

}  // namespace tileproof::conform

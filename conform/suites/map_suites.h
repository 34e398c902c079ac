// SPDX-License-Identifier: Apache-2.0
// The requests of the suites `map` (evaluation), `simplify`, `compose` and `equal`.
//
// generate/map/generate_map.h makes the maps: arbitrary valid maps, and the chains that compilers
// make. Some maps are rewritten into equal ones (generate/map/mutate_map.h), some are
// large, and some have numbers near the ends of 64 bits. A few requests are invalid. The suites
// only make requests; the judge knows the answers.
//
//     {"op":"map.simplify","map":"(d0) -> (d0 mod 6), domain: d0 in [0, 3]"}
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "conform/protocol/json.h"
#include "conform/protocol/protocol.h"
#include "conform/suites/family.h"
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

// Bounded families of requests about maps: all small expressions.
//
// The expressions have at most two operations on d0, s0 and the constants -3 to 4, or they are sums
// of two expressions of one operation:
//
//     c, v                    a constant, a variable
//     c op c, v op c, c + v   op: + * floordiv ceildiv mod, no division by 0
//     (v op c) op c           two operations by constants
//     e + f                   e and f are a variable or v op c
//     (v + w) op c
//
// Example: ((d0) floordiv (3)) mod (2). The families evaluate each expression at every point of a
// small domain and at points just outside, and simplify it in three domains. Expressions of one
// operation also serve as constraints, and every two of them are composed and compared.

// All expressions, as text.
std::vector<std::string> bounded_expressions();

Family evaluate_family();
Family simplify_family();
Family compose_family();
Family equal_family();

// Descriptions of the families for the report.
std::string evaluate_family_text();
std::string simplify_family_text();
std::string compose_family_text();
std::string equal_family_text();

}  // namespace tileproof::conform

// The requests of the suites `map` (evaluation), `simplify`, `compose` and `equal`.
//
// Maps are of two kinds (generate/map/generate_map.h): any valid map, and the chains that compilers make; now
// and then scrambled (generate/map/equivalent_rewrite.h), large, or with numbers near the end of 64 bits. A small
// part of the requests is invalid. What is right is left to the judge.
#pragma once

#include <vector>

#include "conform/protocol/json.h"
#include "conform/protocol/protocol.h"
#include "generate/choose/choose.h"

namespace tileproof::conform {

// One question.
Json evaluate_request(absl::string_view map, std::vector<int64_t> dims, std::vector<int64_t> ranges,
                      std::vector<int64_t> runtime);
Json simplify_request(absl::string_view map);
Json compose_request(absl::string_view first, absl::string_view second);
Json equal_request(absl::string_view left, absl::string_view right);

// The documents' examples, then the corners: signs, no variables, empty domains, 64 bits, each kind
// of invalid request.
std::vector<Json> map_fixed();
std::vector<Json> simplify_fixed();
std::vector<Json> compose_fixed();
std::vector<Json> equal_fixed();

Json make_map_request(Choose& choose, const Limits& limits);
Json make_simplify_request(Choose& choose, const Limits& limits);
Json make_compose_request(Choose& choose, const Limits& limits);
Json make_equal_request(Choose& choose, const Limits& limits);

// The same question of a map with a result, a constraint or a variable less, with a part of an
// expression in place of the whole, or with smaller numbers.
std::vector<Json> shrink_map_requests(const Json& request);

}  // namespace tileproof::conform

// The requests of the suites `layout` and `parse`.
//
// `layout` asks in canonical text, of which a small part is invalid (an index outside, a shape
// without a size); `parse` asks for the physical dimensions of shapes in other spellings, and of
// texts that are no shapes. What is right is left to the judge.
#pragma once

#include <string>
#include <vector>

#include "conform/protocol/json.h"
#include "conform/protocol/protocol.h"
#include "conform/suites/family.h"
#include "generate/choose/choose.h"

namespace tileproof::conform {

// The documents' examples, whole where they are small, then the corners: empty, scalar, tail, the
// largest sizes, and each kind of invalid request.
std::vector<Json> layout_fixed();
Json make_layout_request(Choose& choose, const Limits& limits);

// Every layout of small_families() (generate/layout/generate_shape.h): sizes, every index, every offset.
Family layout_family();
std::string layout_family_text();

// Spellings that mean the same as a canonical text, and texts to be rejected: each entry of
// spec/lang/layout/xla_differences.h among them.
std::vector<Json> parse_fixed();
Json make_parse_request(Choose& choose, const Limits& limits);

// The same question of a shape with one dimension, tile or property less or a smaller number, or
// fewer and smaller indices. Invalid requests stay as they are, but for their shape.
std::vector<Json> shrink_layout_requests(const Json& request);

}  // namespace tileproof::conform

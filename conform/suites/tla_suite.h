// The requests of the suite `tla`.
//
// Canonical text; a part of the requests is invalid: a negative coordinate, one of another nesting,
// a width that does not divide 256, a tile of another rank. Where CATLASS and its description
// differ (rows of 4-bit elements that end inside a byte) nothing is asked, and neither about
// integer coordinates of modes without elements. What is right is left to the judge.
#pragma once

#include <string>
#include <vector>

#include "conform/protocol/json.h"
#include "conform/protocol/protocol.h"
#include "conform/suites/family.h"
#include "generate/choose/choose.h"

namespace tileproof::conform {

// The seed's examples, every tag in several widths, the corners, each kind of invalid request.
std::vector<Json> tla_fixed();
Json make_tla_request(Choose& choose, const Limits& limits);

// Every layout of a bounded family at every integer coordinate, some past the end, and at every
// coordinate as nested as the layout; every tag, width and small size.
Family tla_family();
std::string tla_family_text();

// The same question of a layout with one element or nesting less, or with smaller numbers.
std::vector<Json> shrink_tla_requests(const Json& request);

}  // namespace tileproof::conform

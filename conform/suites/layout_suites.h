// SPDX-License-Identifier: Apache-2.0
// The requests of the suites `layout` and `parse`.
//
// `layout` writes shapes in canonical text. A few of its requests are invalid: an index outside of
// the array, a shape without a size. `parse` asks for the physical dimensions of shapes in other
// spellings, and of texts that are not shapes. The suites only make requests; the judge knows the
// answers.
//
//     layout  {"op":"layout.linearize","shape":"f32[3,5]{1,0:T(2,2)}","index":[2,3]}
//     parse   {"op":"layout.physical","shape":"f32 [ 3 , 5 ] { 1 , 0 : T ( 2 , 2 ) }"}
#pragma once

#include <string>
#include <vector>

#include "conform/protocol/json.h"
#include "conform/protocol/protocol.h"
#include "conform/suites/family.h"
#include "generate/choose/choose.h"

namespace tileproof::conform {

Json make_layout_request(Choose& choose, const Limits& limits);

// For every layout of small_families() (generate/layout/generate_shape.h): its physical dimensions,
// every index and every offset. The text describes the family for the report.
Family layout_family();
std::string layout_family_text();

Json make_parse_request(Choose& choose, const Limits& limits);

// Simpler variants of a request, for shrinking: with a dimension, tile or property less, with a
// smaller number, or with fewer and smaller indices. Indices outside of the array stay outside.
//
// Further steps let one mistake arrive at one example, where smaller numbers alone end at several:
//  * a size of 0 becomes 1, 2 or 3, because an array with elements counts as smaller (is_smaller);
//  * the dimensions are put in the order of memory, so that the same array has the default layout;
//  * two neighboring dimensions or sizes of a tile are swapped, so that [2,1] becomes [1,2];
//  * a dimension is dropped together with its size in the first tile: [3,1] with T(2,1) becomes [3]
//    with T(2);
//  * a tile is dropped while sizes below 3 become 3, because many mistakes do not show at small sizes.
std::vector<Json> shrink_layout_requests(const Json& request);

}  // namespace tileproof::conform

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

}  // namespace tileproof::conform

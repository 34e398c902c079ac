// SPDX-License-Identifier: Apache-2.0
// The requests of the suite `tla`.
//
//     {"op":"tla.offset","layout":"((4,2),(4,3)):((4,16),(1,32))","coord":[1,5]}
//
// Layouts are in canonical text. Some requests are invalid: a negative coordinate, a coordinate of
// another nesting, a width that does not divide 256, a tile of another rank. The suite only makes
// requests; the judge knows the answers.
//
// The suite does not ask about
// - rows of 4-bit elements that end inside of a byte, because CATLASS and its description differ;
// - integer coordinates of modes without elements.
#pragma once

#include <string>
#include <vector>

#include "conform/protocol/json.h"
#include "conform/protocol/protocol.h"
#include "conform/suites/family.h"
#include "generate/choose/choose.h"

namespace tileproof::conform {

Json make_tla_request(Choose& choose, const Limits& limits);

// Every layout of a bounded family at every integer coordinate (and two past the end) and at every
// coordinate with the layout's nesting; then every tag, width and small size.
Family tla_family();
std::string tla_family_text();

}  // namespace tileproof::conform

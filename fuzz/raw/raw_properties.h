// SPDX-License-Identifier: Apache-2.0
// Properties of parsers: each reads a damaged text, or rejects it in one line that names the place. What
// is read prints, and the printed text parses as the same value.
//
// A damaged text is a text of the corpus after a few edits: bytes replaced, dropped or doubled; words
// and numbers at the limits inserted; brackets repeated; two texts joined.
#pragma once

#include <vector>

#include "verify/properties/property.h"

namespace tileproof::verify {

// "texts-shape", "texts-map", ..
std::vector<Property> raw_properties();

}  // namespace tileproof::verify

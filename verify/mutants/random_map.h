// SPDX-License-Identifier: Apache-2.0
// Random indexing maps of every kind.
#pragma once

#include "generate/choose/choose.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::mutants {

// Returns a map like those of compilers, one that a rule applies to, an arbitrary one, or one with
// numbers near the limits of 64 bits.
IndexingMap any_map(Choose& choose);

}  // namespace tileproof::mutants

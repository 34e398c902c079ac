// Random indexing maps of every kind.
#pragma once

#include "generate/choose/choose.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::mutants {

// As compilers make them, as rules are about, any, or with numbers at the limits of 64 bits.
IndexingMap any_map(Choose& choose);

}  // namespace tileproof::mutants

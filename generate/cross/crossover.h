// SPDX-License-Identifier: Apache-2.0
// Crossover: makes one value from two. A fuzzer joins two inputs this way, instead of halves of
// their bytes.
#pragma once

#include <string>

#include "generate/choose/choose.h"
#include "spec/lang/hlo/hlo.h"
#include "spec/lang/layout/nested.h"
#include "spec/lang/layout/shape.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof {

// Returns the left array with parts of the right one: sizes of dimensions, tiles, tail, width.
// Returns `left` unchanged if either is not an array.
Shape crossover_shapes(Choose& choose, const Shape& left, const Shape& right);

// Returns some modes of the left layout followed by some of the right one, or by the whole right
// layout as one mode.
NestedLayout crossover_nested_layouts(Choose& choose, const NestedLayout& left,
                                      const NestedLayout& right);

// Takes the tag, the element type and the size of each dimension from either side. Keeps the left
// tag and dimensions if the two ranks differ.
TaggedShape crossover_tagged_shapes(Choose& choose, const TaggedShape& left,
                                    const TaggedShape& right);

// Returns the left map with an expression of the right one: as a result, as a constraint, or added
// to a result. It may also get bounds of the right one. The variables of the expression become
// variables of the left map, which gets one if it has none of that kind. The result is valid: the
// left map itself if no change is.
IndexingMap crossover_maps(Choose& choose, const IndexingMap& left, const IndexingMap& right);

// Returns the text of the left module with the entry's instructions of the right one, and the
// computations that they call, after its own. Names get a suffix and parameters new numbers. Some
// of their operands become values of the left module whose shapes fit. The root is that of the
// right module.
std::string crossover_hlo(Choose& choose, const HloModule& left, const HloModule& right);

}  // namespace tileproof

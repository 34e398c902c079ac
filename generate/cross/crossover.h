// Two values made one: what a fuzzer does to two inputs instead of joining halves of their bytes.
#pragma once

#include <string>

#include "generate/choose/choose.h"
#include "spec/lang/hlo/hlo.h"
#include "spec/lang/layout/nested.h"
#include "spec/lang/layout/shape.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof {

// An array of the one with a part of the other: sizes of dimensions, tiles, tail, width. What is no
// array is taken as it is.
Shape crossover_shapes(Choose& choose, const Shape& left, const Shape& right);

// Some modes of the one and some of the other, or the right layout as a mode of the left one.
NestedLayout crossover_nested_layouts(Choose& choose, const NestedLayout& left,
                                      const NestedLayout& right);

// The tag and the element type of the one or the other, and a size of each dimension of the one or
// the other; the left dimensions where the right tag has another number of them.
TaggedShape crossover_tagged_shapes(Choose& choose, const TaggedShape& left,
                                    const TaggedShape& right);

// The left map with an expression of the right one, as a result, as a constraint, or added to a
// result; and with some of its bounds. The variables of that expression become those of the left
// map, which gets one where it has none of a kind. Valid; the left map where nothing else would be.
IndexingMap crossover_maps(Choose& choose, const IndexingMap& left, const IndexingMap& right);

// The text of the left module with the entry's instructions of the right one, and what they call,
// behind its own (names get a suffix, parameters new numbers), some operand of which becomes a
// value of the left that has a shape that fits. The root is the right one's.
std::string crossover_hlo(Choose& choose, const HloModule& left, const HloModule& right);

}  // namespace tileproof

// SPDX-License-Identifier: Apache-2.0
// Generators of nested layouts, tags and coordinates.
//
// Every result is valid (spec/lang/layout/nested.h), and every layout of the stated sizes is
// possible. The generators favor what breaks formulas: extents 0 and 1, strides 0 and negative,
// digits that merge into one or nearly do, tuples of one element and of none, coordinates past the
// end.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "generate/choose/choose.h"
#include "spec/lang/layout/nested.h"

namespace tileproof {

// A bounded family, small enough for exhaustive runs: every nesting of up to max_leaves integers in
// tuples of at most three elements, no deeper than max_depth, with every extent and stride.
struct NestedFamily {
  int64_t max_leaves = 3;
  int64_t max_depth = 2;
  std::vector<int64_t> extents = {1, 2, 3};
  std::vector<int64_t> strides = {0, 1, 2};
};
std::string to_text(const NestedFamily& family);

// Returns one layout of the family. An Odometer visits all of them, once each.
NestedLayout bounded_nested_layout(Choose& choose, const NestedFamily& family);

// Returns any layout. Its size, and most of its strides, are at most about `magnitude`.
NestedLayout random_nested_layout(Choose& choose, int64_t magnitude);

// Returns a layout for the algebra: extents of 1 to 8, strides of at least 0, at most `magnitude`
// coordinates. It is often compact, or compact with gaps, with its modes in any order.
NestedLayout random_compact_layout(Choose& choose, int64_t magnitude);

// Returns a coordinate for the shape, with integers in place of some tuples: mostly inside,
// sometimes past the end.
Coordinate random_coordinate(Choose& choose, const IntTuple& shape);

// Returns a tag on a shape of at most about `magnitude` elements.
TaggedShape random_tagged_shape(Choose& choose, int64_t magnitude);

// Returns the text of a layout: mostly valid and canonical, sometimes in another spelling,
// sometimes broken by an edit.
std::string random_nested_text(Choose& choose);

// Makes one change: to an extent or a stride, an element more or less, parentheses added or
// removed. The result is valid.
void mutate_nested_layout(Choose& choose, NestedLayout& layout);

// Changes the tag (to one of the same rank), the element type, or a size.
void mutate_tagged_shape(Choose& choose, TaggedShape& tagged);

}  // namespace tileproof

// Generators of nested layouts, tags and coordinates.
//
// They promise: what they make is valid (spec/lang/layout/nested.h), and every layout of the stated sizes
// can be made. They lean towards what breaks formulas: extents 0 and 1, strides 0 and negative,
// digits that merge into one and digits that nearly do, tuples of one element and of none,
// coordinates past the end.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "generate/choose/choose.h"
#include "spec/lang/layout/nested.h"

namespace tileproof {

// A bounded family, small enough to go through whole: every nesting of up to max_leaves integers
// in tuples of one to three, no deeper than max_depth, with every extent and stride.
struct NestedFamily {
  int64_t max_leaves = 3;
  int64_t max_depth = 2;
  std::vector<int64_t> extents = {1, 2, 3};
  std::vector<int64_t> strides = {0, 1, 2};
};
std::string to_text(const NestedFamily& family);

// One layout of the family. With an Odometer: all of them, once each.
NestedLayout bounded_nested_layout(Choose& choose, const NestedFamily& family);

// Any layout; `magnitude` bounds its size, roughly, and by far most of its strides.
NestedLayout random_nested_layout(Choose& choose, int64_t magnitude);

// A layout for the algebra: extents of 1 to 8, strides of at least 0, at most `magnitude`
// coordinates; often compact, or compact with gaps, in any order of its modes.
NestedLayout random_compact_layout(Choose& choose, int64_t magnitude);

// A tuple of any integers.
IntTuple random_int_tuple(Choose& choose);

// A coordinate of the shape: nested like it or with integers in place of tuples, mostly inside,
// sometimes past the end.
Coordinate random_coordinate(Choose& choose, const IntTuple& shape);

// A tag on a shape of `magnitude` elements at most, roughly.
TaggedShape random_tagged_shape(Choose& choose, int64_t magnitude);

// Text of a layout: mostly valid and canonical, sometimes spelled otherwise, sometimes broken by
// an edit.
std::string random_nested_text(Choose& choose);

// Changes one thing of a layout: an extent, a stride, an element more or less, a tuple around one
// or opened. The result is valid.
void mutate_nested_layout(Choose& choose, NestedLayout& layout);

// Changes the tag (to one of the same rank), the element type, or a size.
void mutate_tagged_shape(Choose& choose, TaggedShape& tagged);

}  // namespace tileproof

// Indices in other words: of a reshaped array, and of places in memory.
//
// A reshape keeps the row-major number of each element. Dimensions of both shapes are grouped from
// the left into the smallest groups of equal size, and each group is done on its own:
//
//     f32[32,3,4] from f32[4,8,12]     [32] from [4,8] and [3,4] from [12]:
//                                      (d0 floordiv 8, d0 mod 8, d1 * 4 + d2)
//
// A physical index of an array is the index of a place in its memory, major to minor, after all
// tiles (impl/layout/tiled_layout.h); the physical index of padding belongs to no element.
#pragma once

#include "absl/status/statusor.h"
#include "impl/layout/closed_form.h"
#include "impl/map/map_builder.h"
#include "spec/lang/layout/shape.h"

namespace tileproof::impl {

// `index` is the index of an element of an array of sizes `from`; the result is its index in the
// same elements as sizes `to`. Both have the same number of elements, not 0. An error where a group
// has more than 2^63 - 1 of them.
absl::StatusOr<std::vector<NodeId>> reshaped(MapBuilder& m, const std::vector<NodeId>& index,
                                             const Dims& from, const Dims& to);

// The outputs of a closed form, with `inputs` for its inputs; its checks become conditions.
std::vector<NodeId> closed_form_index(MapBuilder& m, const ClosedForm& form,
                                      const std::vector<NodeId>& inputs);

// Maps of one array, with at least one element: logical index to physical index, and back, the
// latter where there is an element; and both with the offset in place of the physical index.
// Simplified.
absl::StatusOr<IndexingMap> logical_to_physical(const Shape& array);
absl::StatusOr<IndexingMap> physical_to_logical(const Shape& array);
absl::StatusOr<IndexingMap> logical_to_offset(const Shape& array);
absl::StatusOr<IndexingMap> offset_to_logical(const Shape& array);

// The map between elements as one between places: from the physical index of an element of
// `output` to that of an element of `operand`. The map has dimensions and results for these arrays.
absl::StatusOr<IndexingMap> between_physical(const IndexingMap& map, const Shape& output,
                                             const Shape& operand);

}  // namespace tileproof::impl

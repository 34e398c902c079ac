// SPDX-License-Identifier: Apache-2.0
// The index of an element in a reshaped array, and its physical index.
//
// A reshape keeps the row-major number of each element. The dimensions of both shapes are grouped
// from the left into the smallest groups of equal size. Each group is reshaped on its own:
//
//     f32[32,3,4] from f32[4,8,12]     [32] from [4,8] and [3,4] from [12]:
//                                      (d0 floordiv 8, d0 mod 8, d1 * 4 + d2)
//
// A physical index is the index of a slot of memory, major to minor, after all tiles
// (impl/layout/tiled_layout.h). The physical index of padding belongs to no element.
#pragma once

#include "absl/status/statusor.h"
#include "impl/layout/closed_form.h"
#include "impl/map/map_builder.h"
#include "spec/lang/layout/shape.h"

namespace tileproof::impl {

// `index` is the index of an element in an array of sizes `from`. The result is the index of this
// element after a reshape to sizes `to`. Both arrays have the same number of elements, at least 1.
// An error if a group has more than 2^63 - 1 elements.
absl::StatusOr<std::vector<NodeId>> reshaped(MapBuilder& m, const std::vector<NodeId>& index,
                                             const Dims& from, const Dims& to);

// The outputs of a closed form for these inputs. Its checks become constraints.
std::vector<NodeId> closed_form_index(MapBuilder& m, const ClosedForm& form,
                                      const std::vector<NodeId>& inputs);

// Simplified maps of an array with at least one element, between its logical index and its physical
// index or offset. The maps to the logical index are defined at elements, not at padding.
absl::StatusOr<IndexingMap> logical_to_physical(const Shape& array);
absl::StatusOr<IndexingMap> physical_to_logical(const Shape& array);
absl::StatusOr<IndexingMap> logical_to_offset(const Shape& array);
absl::StatusOr<IndexingMap> offset_to_logical(const Shape& array);

// The map from physical index to physical index that belongs to `map`, which goes from the logical
// index of `output` to the logical index of `operand`.
absl::StatusOr<IndexingMap> between_physical(const IndexingMap& map, const Shape& output,
                                             const Shape& operand);

}  // namespace tileproof::impl

// SPDX-License-Identifier: Apache-2.0
// Compares nested layouts of the reference and the closed form. Every test and campaign of nested
// layouts uses this comparison.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "generate/choose/choose.h"
#include "spec/lang/layout/nested.h"
#include "spec/lang/layout/swizzled_text.h"
#include "verify/compare/case_counts.h"

namespace tileproof::verify {

// A difference is an error status; its message can be pasted back.

// Compares the size, the cosize, and `samples` random coordinates. If there are at most
// `max_positions` of them, also compares the offset of every integer coordinate and the first
// coordinate of every offset. Counts "layouts", "coordinates", "coordinates that both refuse",
// "offsets" that are mapped back to coordinates, and of these the "offsets given up" by the closed
// form's search.
absl::Status compare_nested(const NestedLayout& layout, int64_t max_positions, int64_t samples,
                            Choose& choose, CaseCounts& tally);

// Compares one coordinate. Returns true if both have the same offset, false if both refuse it.
absl::StatusOr<bool> compare_offset(const NestedLayout& layout, const Coordinate& coordinate);

// Compares the offsets of `samples` random indices by a swizzled layout, and the way back.
absl::Status compare_swizzled(const SwizzledLayout& layout, int64_t samples, Choose& choose);

// Compare MakeLayout and MakeLayoutTile: both give the same layout or both refuse.
absl::Status compare_make(Tag tag, int64_t element_bits, int64_t rows, int64_t cols);
absl::Status compare_tile(const NestedLayout& layout, const std::vector<int64_t>& tile);

}  // namespace tileproof::verify

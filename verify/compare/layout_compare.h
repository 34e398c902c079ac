// SPDX-License-Identifier: Apache-2.0
// Compares layouts of the reference and the closed form. Every test, campaign and proof of layouts
// uses these comparisons. A difference is an error status; its message (the layout, the question, both
// answers) can be pasted back.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "generate/choose/choose.h"
#include "spec/lang/layout/nested.h"
#include "spec/lang/layout/shape.h"
#include "spec/lang/layout/swizzled_text.h"
#include "verify/compare/case_counts.h"

namespace tileproof::verify {

// ---- XLA's layouts ----

// Each counts "layouts", "indices" and "padding", or "refused": both refuse the shape, as it is too
// large or has no offsets.

// Compares the sizes, the element or padding at every offset of the buffer, and each element's
// offset, using the arrays of the reference. If the buffer or the array has more than
// `max_positions` positions, compares at `samples` points instead.
absl::Status compare_whole(const Shape& shape, int64_t max_positions, int64_t samples,
                           Choose& choose, CaseCounts& tally);

// Compares at `samples` random indices and `samples` random offsets; applies the reference's steps
// to one index at a time.
absl::Status compare_sampled(const Shape& shape, int64_t samples, Choose& choose,
                             CaseCounts& tally);

// ---- Nested, swizzled and tagged layouts ----

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

// ---- Layouts of threads ----

// Compares the numbers of places, what each place holds, by the bases and by the map, which places hold
// an element, and which elements nobody holds. Returns "", or the layout and both answers. Counts
// "layouts", or "refused": the text is invalid, or
// both refuse it.
std::string threads_difference(absl::string_view text, CaseCounts& tally);

}  // namespace tileproof::verify

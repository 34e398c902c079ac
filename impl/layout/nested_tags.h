// SPDX-License-Identifier: Apache-2.0
// MakeLayout and GetTileLayout of TLA.
//
// Every tag is written as digits: a row has the digits a0, a1, .., a column b0, b1, .., each
// beginning with the one that changes fastest, and memory lists all of them in its own order:
//
//     zN of 16 bits: a row is (16,rest), a column (16,rest), memory b0 a0 a1 b1
//
// A stride is the product of the digits before it in memory. spec/layout/nested_tags.h answers the
// same questions by a table of strides, with the same errors.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "spec/lang/layout/nested.h"

namespace tileproof::impl {

// MakeLayout. Ignores the rows of a vector. Errors: bits that do not divide 256, a negative size,
// an extent or stride that does not fit int64 (kOutOfRange).
absl::StatusOr<tileproof::NestedLayout> make_layout(Tag tag, int64_t element_bits, int64_t rows,
                                                    int64_t cols);
absl::StatusOr<tileproof::NestedLayout> make_layout(const TaggedShape& tagged);

// GetTileLayout: a layout of `tile` elements with the strides of `layout`.
absl::StatusOr<tileproof::NestedLayout> make_layout_tile(const tileproof::NestedLayout& layout,
                                                         absl::Span<const int64_t> tile);

}  // namespace tileproof::impl

// SPDX-License-Identifier: Apache-2.0
// The offsets of all elements of a box.
//
// If no tile cuts through digits, an offset is a sum of one number for each coordinate. So the offsets
// of a box are sums of entries of one small table for each dimension, and a row is one addition for
// each element. Other layouts compute each offset.
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "impl/layout/tiled_layout.h"

namespace tileproof::impl {

// Writes the offsets, in elements, of the box of `sizes` elements from index `begin` on, in
// row-major order. `out` holds one number for each element of the box. Errors: another rank; a box
// that is not in the array; another size of `out`; int32_t: offsets of the array that may exceed
// 2^31 - 1.
//
//     f32[3,5]{1,0:T(2,2)}, begin {1,1}, sizes {2,2}:     3 6 13 16
absl::Status offsets(const TiledLayout& layout, absl::Span<const int64_t> begin,
                     absl::Span<const int64_t> sizes, absl::Span<int64_t> out);
absl::Status offsets(const TiledLayout& layout, absl::Span<const int64_t> begin,
                     absl::Span<const int64_t> sizes, absl::Span<int32_t> out);

}  // namespace tileproof::impl

// SPDX-License-Identifier: Apache-2.0
// A swizzled layout as an indexing map.
//
// With x = start + layout(c) and the bits x_t = (x floordiv 2^t) mod 2, the swizzle replaces each
// target bit x_t by x_t xor x_u, which is (x_t + x_u) mod 2:
//
//     swizzle(x) = x + the sum over the targets t of 2^t * ((x_t + x_u) mod 2 - x_t)
//
//     Sw<1,0,1> o 0 o 4:1      (d0) -> (d0 + ((d0 mod 2 + (d0 floordiv 2) mod 2) mod 2 - d0 mod 2))
//
// No target is also a source. spec/layout/layout_algebra.h (swizzled) defines the same with the bits
// of machine words; swizzled_map_test.cc compares both at every coordinate.
#pragma once

#include "absl/status/statusor.h"
#include "spec/lang/layout/swizzled_text.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::verify {

// Errors: an invalid layout; offsets below 0, or beyond int64.
absl::StatusOr<IndexingMap> swizzled_map(const SwizzledLayout& layout);

}  // namespace tileproof::verify

// SPDX-License-Identifier: Apache-2.0
// The layout algebra of CuTe in closed form.
//
// All operations work on the list of modes (extent, stride), from left to right, and never on
// coordinates. So their cost does not depend on the sizes:
//
//     coalesce       drops extents of 1, merges (n,d) (m,n*d) into (n*m,d)
//     composition    c:d of B begins in the mode of A where d, divided by the extents before, no
//                    longer divides; it takes the rest of that mode, then whole modes
//                        (6,2):(8,2) o 4:3 = (2,2):(24,2)
//     complement     the modes by rising stride; each preceded by the gap up to its stride
//     right inverse  the modes by rising stride, as long as each begins where the last ended
//
// If an extent or stride divides neither way, these rules give no list of modes, but the values may
// still form a layout ((8,4):(1,100) o 6:3 is (3,2):(3,101)). If there are at most kMostTried
// values, they are tried; with more, the operation is kResourceExhausted, which does not mean
// invalid.
//
// spec/layout/layout_algebra.h defines the same operations, with the same kFailedPrecondition
// errors. Sizes and strides that do not fit int64 are kOutOfRange.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "spec/lang/layout/layout_algebra.h"
#include "spec/lang/layout/nested.h"

namespace tileproof::impl {

inline constexpr int64_t kMostTried = int64_t{1} << 16;

absl::StatusOr<tileproof::NestedLayout> coalesce(const tileproof::NestedLayout& a);
absl::StatusOr<tileproof::NestedLayout> composition(const tileproof::NestedLayout& a,
                                                    const tileproof::NestedLayout& b);
absl::StatusOr<tileproof::NestedLayout> composition_by_mode(const tileproof::NestedLayout& a,
                                                            const Tiler& b);
absl::StatusOr<tileproof::NestedLayout> complement(const tileproof::NestedLayout& a, int64_t m);
absl::StatusOr<tileproof::NestedLayout> right_inverse(const tileproof::NestedLayout& a);
absl::StatusOr<tileproof::NestedLayout> left_inverse(const tileproof::NestedLayout& a);
absl::StatusOr<tileproof::NestedLayout> logical_divide(const tileproof::NestedLayout& a,
                                                       const Tiler& b);
absl::StatusOr<tileproof::NestedLayout> logical_product(const tileproof::NestedLayout& a,
                                                        const tileproof::NestedLayout& b);
absl::StatusOr<tileproof::NestedLayout> blocked_product(const tileproof::NestedLayout& a,
                                                        const tileproof::NestedLayout& b);
absl::StatusOr<tileproof::NestedLayout> raked_product(const tileproof::NestedLayout& a,
                                                      const tileproof::NestedLayout& b);
absl::StatusOr<tileproof::NestedLayout> zipped_divide(const tileproof::NestedLayout& a,
                                                      const Tiler& b);
absl::StatusOr<tileproof::NestedLayout> tiled_divide(const tileproof::NestedLayout& a,
                                                     const Tiler& b);
absl::StatusOr<Slice> slice(const tileproof::NestedLayout& a, const Slicer& slicer);

}  // namespace tileproof::impl

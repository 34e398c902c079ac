// SPDX-License-Identifier: Apache-2.0
// Layouts of arrays of any size, for judging answers beyond 64 bits.
//
// If only an intermediate value or a size leaves int64, the exact answer and an error are both
// right (docs/protocol.md, "Answers"). The reference reports an error there. The exact answer
// comes from the same steps of the reference, with sizes and indices that are integers of any size.
//
//     f32[0,4611686018427387904]{1,0:T(8,3)}
//     physical [0,1537228672809129302,8,3], 0 elements, 0 bytes; but 1537228672809129302 * 8 * 3
//     leaves int64, so an error is right too.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "conform/protocol/big_uint.h"
#include "spec/lang/layout/shape.h"
#include "spec/layout/tiled_layout.h"

namespace tileproof::conform {

struct ExactLayout : spec::SizedLayout<BigUint> {
  // Some way of computing the sizes leaves int64: a product in some order (an array without
  // elements has large ones too), a size before it is rounded, the number of bits.
  bool may_overflow = false;
};

// The layout of an array with bounded dimensions, of any size. Errors: those of
// spec::layout_steps.
absl::StatusOr<ExactLayout> exact_layout(const Shape& shape);

// parse_shape, but elements and bytes need not fit int64.
absl::StatusOr<Shape> parse_shape_of_any_size(absl::string_view text);

// The offset of an index that is in the array.
BigUint linearize(const ExactLayout& layout, const std::vector<int64_t>& index);

// The index at an offset below `elements`, or nullopt in padding and in the tail.
std::optional<std::vector<int64_t>> delinearize(const ExactLayout& layout, int64_t offset);

}  // namespace tileproof::conform

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
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/lang/layout/shape.h"
#include "spec/layout/tiled_layout.h"

namespace tileproof::conform {

// Unsigned integers of any size, for judging sizes that exceed 64 bits.
//
// Simple and slow: 32-bit digits, least significant first, without leading zeros. 2^64 is
// {0, 0, 1}, zero is {}. Has only what exact_layout.h needs.

class BigUint {
 public:
  BigUint() = default;
  BigUint(int64_t value);  // value >= 0

  bool operator==(const BigUint&) const = default;

  std::vector<uint32_t> digits;
};

bool operator<(const BigUint& a, const BigUint& b);
BigUint operator+(const BigUint& a, const BigUint& b);
BigUint operator-(const BigUint& a, const BigUint& b);  // a >= b
BigUint operator*(const BigUint& a, const BigUint& b);

// The quotient and the remainder; b is not zero.
std::pair<BigUint, BigUint> divide(const BigUint& a, const BigUint& b);

// The same as functions that generic code calls.
inline BigUint floordiv(const BigUint& a, const BigUint& b) { return divide(a, b).first; }
inline BigUint mod(const BigUint& a, const BigUint& b) { return divide(a, b).second; }

// The value, if it fits.
std::optional<int64_t> to_int64(const BigUint& a);

// Decimal.
std::string to_text(const BigUint& a);

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

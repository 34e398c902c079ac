// The layout algebra of CuTe: the reference.
//
// A layout A is the function i -> A(i) of the integers (spec/layout/nested_layout.h, "offset"); each
// operation is defined by the function that its result must be, and found here by writing all
// values down. Where no layout is that function the operation refuses (kFailedPrecondition) and
// says why; it never returns another one.
//
//     coalesce(A)           R(i) = A(i) for i < size(A), R flat with as few modes as possible
//     composition(A, B)     R(i) = A(B(i)) for i < size(B), each integer of B's shape split further
//                           or kept. (5,4):(1,100) o 6:2 is 0, 2, 4, 101, 103, 200: no layout.
//                           Refused too where A(B(c)) is not the sum over B's integers: they carry.
//     complement(A, m)      the least set of translations of A's offsets, 0 first, that fills an
//                           interval [0, n), n >= m, without overlap; as a layout that counts them
//     right_inverse(A)      A(R(i)) = i for i < size(R), R as large as possible
//     left_inverse(A)       L(A(i)) = i for i < size(A): right_inverse((A, complement(A, 1)))
//     logical_divide(A, B)  composition(A, (B, complement(B, size(A))))
//     logical_product(A, B) (A, composition(complement(A, size(A) * cosize(B)), B))
//     zipped_divide         the modes divided by one tiler each: ((tiles), (rests, further modes))
//     tiled_divide          the same with the rests in line: ((tiles), rest, .., mode, ..)
//     slice(A, s)           A(c) = offset + R(the free parts of c) for every c that s allows
//     swizzle               bit i + |shift| (or i, if shift < 0) of an offset is added to bit i
//                           (i + |shift|), for `bits` bits from `base` on
//
// The result of an operation has one form: integers, or tuples of integers, that are coalesced.
// Layouts must have coordinates, and at most kMaxTabled of them (kUnimplemented beyond).
// Source: CuTe's documentation, "Layout Algebra". impl/layout/layout_algebra.h answers the same questions
// in closed form; verify/compare/algebra_laws.h states what both must satisfy.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "spec/lang/layout/layout_algebra.h"
#include "spec/lang/layout/nested.h"

namespace tileproof::spec {

inline constexpr int64_t kMaxTabled = int64_t{1} << 16;

// A(0), A(1), .. below its size; A(i) at given integers.
absl::StatusOr<std::vector<int64_t>> values(const NestedLayout& a);
absl::StatusOr<std::vector<int64_t>> values_at(const NestedLayout& a,
                                               const std::vector<int64_t>& points);

absl::StatusOr<NestedLayout> coalesce(const NestedLayout& a);

// Errors: also a stride below 0 in b.
absl::StatusOr<NestedLayout> composition(const NestedLayout& a, const NestedLayout& b);

// Modes of stride 0 do not count. Refused: strides below 0; two coordinates of one offset; offsets
// of which no translations fill an interval.
absl::StatusOr<NestedLayout> complement(const NestedLayout& a, int64_t m);

// Refused: strides below 0; offsets that two coordinates have, apart from modes of stride 0.
absl::StatusOr<NestedLayout> right_inverse(const NestedLayout& a);

// Refused: two coordinates of one offset; no complement.
absl::StatusOr<NestedLayout> left_inverse(const NestedLayout& a);

absl::StatusOr<NestedLayout> logical_divide(const NestedLayout& a, const Tiler& b);
absl::StatusOr<NestedLayout> logical_product(const NestedLayout& a, const NestedLayout& b);
absl::StatusOr<NestedLayout> zipped_divide(const NestedLayout& a, const Tiler& b);
absl::StatusOr<NestedLayout> tiled_divide(const NestedLayout& a, const Tiler& b);

// Errors: a slicer of another nesting, or whose integers are no coordinates.
absl::StatusOr<Slice> slice(const NestedLayout& a, const Slicer& slicer);

// Errors: a swizzle that is not valid, an offset below 0.
absl::StatusOr<int64_t> swizzled(const Swizzle& swizzle, int64_t offset);

}  // namespace tileproof::spec

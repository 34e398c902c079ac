// SPDX-License-Identifier: Apache-2.0
// The layout algebra of CuTe: the reference.
//
// A layout A is a function on integers, i -> A(i) (spec/layout/nested_layout.h, "offset"). Each
// operation is defined by the function R that its result must be. The reference tabulates that
// function, then looks for a layout with these values. If no layout has them, the operation refuses
// (kFailedPrecondition) and says why. It never returns a layout of another function.
//
//     coalesce(A)           R(i) = A(i) for i < size(A); R is flat and has as few modes as possible
//     composition(A, B)     R(i) = A(B(i)) for i < size(B), with a mode for each integer of B's
//                           shape. Refuses if no layout has the values of a mode:
//                           (5,4):(1,100) o 6:2 would be 0, 2, 4, 101, 103, 200. Refuses also if
//                           A(B(c)) is not the sum over these modes, because they carry.
//     composition_by_mode   each mode of A composed with its own tiler; there are as many of both
//     complement(A, m)      the smallest set of translations of A's offsets, 0 first, that fills an
//                           interval [0, n), n >= m, without overlap; R(i) is the i-th of them
//     right_inverse(A)      A(R(i)) = i for i < size(R), with R as large as possible
//     left_inverse(A)       R(A(i)) = i for i < size(A): right_inverse((A, complement(A, 1)))
//     logical_divide(A, B)  composition(A, (B, complement(B, size(A))))
//     logical_product(A, B) (A, composition(complement(A, size(A) * cosize(B)), B))
//     blocked_product(A, B) (A, P) = logical_product(A, B), mode by mode: mode k is the pair of A's
//                           mode k and P's mode k. A layout of lower rank gets modes of 1:0.
//                           (2,5):(5,1) by (3,4):(1,3) is ((2,3),(5,4)):((5,10),(1,30))
//     raked_product(A, B)   the same with A and P exchanged: the copies are interleaved
//                           (2,5):(5,1) by (3,4):(1,3) is ((3,2),(4,5)):((10,5),(30,1))
//     zipped_divide         each mode divided by its own tiler: ((tiles), (rests, further modes)). A
//                           tile longer than the mode goes on beyond its end, as in CuTe. A mode
//                           with the tiler `_` has the tile 1:0
//     tiled_divide          the same, but no tuple around the rests: ((tiles), rest, .., mode, ..)
//     slice(A, s)           A(c) = offset + R(the free parts of c) for every c that matches s
//     swizzled              xors bits of an offset into others (Swizzle)
//
// spec/lang/layout/layout_algebra.h defines Tiler, Slicer and Swizzle. Each mode that an operation
// computes is coalesced: an integer, or a tuple of integers. The pairs of products and divides
// stay. Operands must have between 1 and kMaxTabled coordinates (kResourceExhausted beyond).
//
// impl/layout/layout_algebra.h answers the same questions in closed form;
// verify/compare/algebra_laws.h states what both must satisfy. Source: CuTe's documentation,
// "Layout Algebra".
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "spec/lang/layout/layout_algebra.h"
#include "spec/lang/layout/nested.h"

namespace tileproof::spec {

// The most coordinates of an operand.
inline constexpr int64_t kMaxTabled = int64_t{1} << 16;

// `values` returns A(0), A(1), .., A(size - 1); `values_at` returns A at given integers.
absl::StatusOr<std::vector<int64_t>> values(const NestedLayout& a);
absl::StatusOr<std::vector<int64_t>> values_at(const NestedLayout& a,
                                               const std::vector<int64_t>& points);

// The operations that the head of this file defines. It lists their errors; a comment adds those of one
// operation.
absl::StatusOr<NestedLayout> coalesce(const NestedLayout& a);

// Also fails if b has a negative stride.
absl::StatusOr<NestedLayout> composition(const NestedLayout& a, const NestedLayout& b);

absl::StatusOr<NestedLayout> composition_by_mode(const NestedLayout& a, const Tiler& b);

// Ignores modes of stride 0. Refuses negative strides, two coordinates with the same offset, and
// offsets whose translations cannot fill an interval.
absl::StatusOr<NestedLayout> complement(const NestedLayout& a, int64_t m);

// Refuses negative strides, and two coordinates with the same offset unless a mode of stride 0
// tells them apart.
absl::StatusOr<NestedLayout> right_inverse(const NestedLayout& a);

// Refuses two coordinates with the same offset, and a layout without a complement.
absl::StatusOr<NestedLayout> left_inverse(const NestedLayout& a);

absl::StatusOr<NestedLayout> logical_divide(const NestedLayout& a, const Tiler& b);
absl::StatusOr<NestedLayout> logical_product(const NestedLayout& a, const NestedLayout& b);
absl::StatusOr<NestedLayout> blocked_product(const NestedLayout& a, const NestedLayout& b);
absl::StatusOr<NestedLayout> raked_product(const NestedLayout& a, const NestedLayout& b);
absl::StatusOr<NestedLayout> zipped_divide(const NestedLayout& a, const Tiler& b);
absl::StatusOr<NestedLayout> tiled_divide(const NestedLayout& a, const Tiler& b);

// Errors: a slicer whose nesting differs from the layout's; integers of the slicer that are not
// coordinates.
absl::StatusOr<Slice> slice(const NestedLayout& a, const Slicer& slicer);

}  // namespace tileproof::spec

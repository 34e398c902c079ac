// SPDX-License-Identifier: Apache-2.0
// Swizzled layouts of CuTe: a nested layout whose offsets a swizzle changes.
//
//     Sw<3,3,3> o 0 o (8,64):(64,1)              as people write it
//     Sw<3,3,3> o _0 o (_8,_64):(_64,_1)         as CuTe prints it
//     Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)
//     Sw<2,0,3> o (4,8):(8,1)                    without an offset: 0
//     S<3,4,3> o 0 o (8,64):(64,1)               as the CuTe DSL prints it
//     Sw<3,4,3>_smem_ptr[16b](unset) o (8,64):(64,1)
//     ComposedLayout<Swizzle<3,4,3>, smem_ptr_flag_bits<16>, Layout<Shape<_8,_64>,Stride<_64,_1>>>
//     composition(Swizzle<3,3,3>{}, make_layout(make_shape(8, 64), LayoutRight{}))
//     cute.make_composed_layout(cute.make_swizzle(3,3,3), 0, cute.make_layout((8,64), stride=(64,1)))
//
//     offset of c = swizzle(start + layout(c))        spec/layout/swizzled_layout.h
//
// A pointer that is not set is 0. One that is set must be a multiple of what the swizzle acts on. Behind a pointer the swizzle acts on addresses of bytes, not on
// offsets of elements; smem_ptr[16b] says that an element has 16 bits. CuTe's own `layout(c)` leaves
// that out: it returns what the same layout with `0` in place of the pointer gives.
// Source: CuTe's documentation, "ComposedLayout"; its pointer_flagged.hpp, pointer_swizzle.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/layout/layout_algebra.h"
#include "spec/lang/layout/nested.h"

namespace tileproof {

struct SwizzledLayout {
  Swizzle swizzle;
  int64_t start = 0;  // at least 0
  NestedLayout layout = {};
  std::optional<int64_t> pointer_bits = {};  // of an element behind a pointer; start is 0

  bool operator==(const SwizzledLayout&) const = default;
};

// Errors: an invalid swizzle; a start below 0; elements behind a pointer whose bits do not divide
// 256, or that the swizzle tears apart: of 32 bits, Sw<1,1,1> would move byte 4 to byte 6.
absl::Status validate(const SwizzledLayout& layout);

// Parses the whole text, or one layout at the cursor. Errors name the column and what was expected.
absl::StatusOr<SwizzledLayout> parse_swizzled_layout(absl::string_view text);
absl::StatusOr<SwizzledLayout> parse_swizzled_layout(Cursor& cursor);

// "Sw<3,3,3> o 0 o (8,64):(64,1)"
std::string to_text(const SwizzledLayout& layout);

// Whether a swizzle begins here.
bool looks_like_swizzled_layout(absl::string_view text);

// Parses a tensor as CuTe and its DSL print it: a layout behind a pointer. What is in shared memory is
// SWIZZLED, as its elements have a size; without a swizzle it is Sw<0,4,3>.
//
//     smem_ptr[16b](0x400) o (8,64):(64,1)                          Sw<0,4,3> o smem_ptr[16b](unset) o ..
//     gmem_ptr[32b](0x7f00) o (4,8):(8,1)                           (4,8):(8,1)
//     tensor<ptr<f16, smem, align<1024>, S<3,4,3>> o (8,64):(64,1)>
//     tensor(raw_ptr(0x7f00: f32, generic, align<4>) o (8,5):(5,1), data=..
//     !cute.memref<f16, smem, align<128>, S<3,4,3>, "(8,64):(64,1)">
//     !cute.layout<"(4,8):(8,1)">
bool looks_like_tensor(absl::string_view text);
absl::StatusOr<std::variant<NestedLayout, SwizzledLayout>> parse_tensor(absl::string_view text);

}  // namespace tileproof

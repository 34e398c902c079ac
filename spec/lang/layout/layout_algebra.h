// SPDX-License-Identifier: Apache-2.0
// The operands of CuTe's layout algebra besides layouts: tilers, slicers, swizzles, and their text.
//
//     tiler    = layout | "<" [ mode { "," mode } ] ">" | tuple of integers and "_" | integer
//     mode     = layout | free
//     slicer   = free | integer | "(" [ slicer { "," slicer } ] ")"
//     free     = "_" | "None"
//     swizzle  = ( "Sw" | "S" | "Swizzle" ) "<" bits "," base "," shift ">" [ "{}" ]
//              | "make_swizzle(" bits "," base "," shift ")"
//
// spec/layout/layout_algebra.h defines the operations.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/layout/nested.h"

namespace tileproof {

// The divisor of a layout: one layout for the whole, or one for each of the first modes. `(4,8)` is
// short for `<4:1,8:1>`, and `4` for `4:1`. `_`, the layout that is absent, leaves its mode as it is.
struct Tiler {
  bool by_mode = false;
  std::vector<std::optional<NestedLayout>> layouts;  // unless by_mode: one, and it is there

  bool operator==(const Tiler&) const = default;
};
absl::StatusOr<Tiler> parse_tiler(absl::string_view text);

// A coordinate with free parts, written `_`: `(_,3)`, `((_,1),_)`.
struct Slicer {
  enum class Kind : uint8_t { kFree, kFixed, kTuple };
  Kind kind = Kind::kFree;
  int64_t value = 0;             // kFixed
  std::vector<Slicer> elements;  // kTuple

  bool operator==(const Slicer&) const = default;
};
absl::StatusOr<Slicer> parse_slicer(absl::string_view text);

// The layout of the free modes, and its first offset.
struct Slice {
  NestedLayout layout;
  int64_t offset = 0;

  bool operator==(const Slice&) const = default;
};

// Sw<bits,base,shift> XORs bits of an offset into other bits. For each i in [base, base + bits):
//
//     shift >= 0    bit i           ^= bit i + shift
//     shift < 0     bit i + |shift| ^= bit i
//
// 0 <= bits <= |shift|, base >= 0, bits + base + |shift| <= 62. Sw<1,0,1> takes 2 to 3.
struct Swizzle {
  int64_t bits = 0;
  int64_t base = 0;
  int64_t shift = 0;

  bool operator==(const Swizzle&) const = default;
};
absl::StatusOr<Swizzle> parse_swizzle(absl::string_view text);
absl::StatusOr<Swizzle> parse_swizzle(Cursor& cursor);  // one, at the cursor

std::string to_text(const Tiler& tiler);    // "<4:1,8:1>", or a layout
std::string to_text(const Slicer& slicer);  // "((_,1),_)"
std::string to_text(const Slice& slice);    // "4 + (2,3):(1,8)"
std::string to_text(const Swizzle& swizzle);
absl::Status validate(const Swizzle& swizzle);

// The layout with these modes: (a, b, ..).
NestedLayout concatenated(const std::vector<NestedLayout>& modes);

}  // namespace tileproof

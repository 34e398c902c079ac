// What the layout algebra of CuTe needs besides layouts: tilers, slicers, swizzles, and their text.
//
//     tiler    = layout | "<" [ layout { "," layout } ] ">" | tuple of integers
//     slicer   = "_" | integer | "(" [ slicer { "," slicer } ] ")"
//     swizzle  = ( "Sw" | "Swizzle" ) "<" bits "," base "," shift ">"
//
// What the operations mean is told in spec/layout/layout_algebra.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/lang/layout/nested.h"

namespace tileproof {

// What a layout is divided by: one layout for the whole, or one for each of its first modes.
// `(4,8)` is `<4:1,8:1>`.
struct Tiler {
  bool by_mode = false;
  std::vector<NestedLayout> layouts;  // exactly one where not by mode

  bool operator==(const Tiler&) const = default;
};
absl::StatusOr<Tiler> parse_tiler(absl::string_view text);

// A coordinate of which some parts, `_`, stay free: `(_,3)`, `((_,1),_)`.
struct Slicer {
  enum class Kind : uint8_t { kFree, kFixed, kTuple };
  Kind kind = Kind::kFree;
  int64_t value = 0;             // kFixed
  std::vector<Slicer> elements;  // kTuple

  bool operator==(const Slicer&) const = default;
};
absl::StatusOr<Slicer> parse_slicer(absl::string_view text);

// The layout of the free modes, and where it begins.
struct Slice {
  NestedLayout layout;
  int64_t offset = 0;

  bool operator==(const Slice&) const = default;
};

// Sw<bits,base,shift>: the `bits` bits from base + shift on (from base, if shift is negative) are
// added without carry to those `shift` below. 0 <= bits <= |shift|, base >= 0, and
// bits + base + |shift| <= 62.
struct Swizzle {
  int64_t bits = 0;
  int64_t base = 0;
  int64_t shift = 0;

  bool operator==(const Swizzle&) const = default;
};
absl::StatusOr<Swizzle> parse_swizzle(absl::string_view text);

std::string to_text(const Tiler& tiler);    // "<4:1,8:1>", or a layout
std::string to_text(const Slicer& slicer);  // "((_,1),_)"
std::string to_text(const Slice& slice);    // "4 + (2,3):(1,8)"
std::string to_text(const Swizzle& swizzle);
absl::Status validate(const Swizzle& swizzle);

// (a, b, ..): the layout whose modes these are.
NestedLayout concatenated(const std::vector<NestedLayout>& modes);

}  // namespace tileproof

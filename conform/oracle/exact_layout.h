// A layout counted in the integers, for judging answers where 64 bits do not reach.
//
// Where only an intermediate value or a size leaves int64, the exact answer and an error are both
// right, and a wrapped one never is (INTERFACE, section 2 "Integers"). The reference answers with
// an error there; what the exact answer would have been is counted here, with numbers of any size.
// The rule is the one of the facts "HLO shape and layout text", section 6, step by step; the tests
// hold it against the reference wherever that answers.
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

namespace tileproof::conform {

struct ExactTile {
  int64_t prepended = 0;
  int64_t untiled = 0;  // dimensions that the tile does not reach, those prepended included
  struct Part {
    std::vector<BigUint> combined;  // major to minor; one where there is no star
    BigUint size;                   // their product
    BigUint tile;
  };
  std::vector<Part> parts;
};

struct ExactLayout {
  Layout layout;
  std::vector<int64_t> logical;
  std::vector<ExactTile> tiles;
  std::vector<BigUint> physical;  // after all tiles
  BigUint elements;
  BigUint bytes;
  // Some way of counting these leaves int64: a product in some order (an array without elements has
  // large ones too), a size before it is rounded, the number of bits.
  bool may_overflow = false;
};

// An array with bounded dimensions, of any size. Errors as in spec/layout/tiled_layout.h, but none for
// size.
absl::StatusOr<ExactLayout> exact_layout(const Shape& shape);

// parse_shape without the demand that elements and bytes fit int64.
absl::StatusOr<Shape> parse_shape_of_any_size(absl::string_view text);

// The offset of an index that is in the array.
BigUint linearize(const ExactLayout& layout, const std::vector<int64_t>& index);

// The index at an offset below `elements`; nothing in padding and in the tail.
std::optional<std::vector<int64_t>> delinearize(const ExactLayout& layout, int64_t offset);

}  // namespace tileproof::conform

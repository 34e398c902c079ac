// SPDX-License-Identifier: Apache-2.0
// Nested layouts of TLA (CATLASS) and CuTe, as values.
//
//     ((4,2),(4,3)):((4,16),(1,32))
//
// A nested layout is a shape and a stride of the same nesting. Shapes, strides, coordinates and
// tiles are IntTuples: an IntTuple is an integer or a tuple of IntTuples.
//
// spec/layout/nested_layout.h defines the meaning, spec/lang/layout/nested_text.h the text.
//
// Every function that makes an IntTuple limits it to kMaxNesting levels (spec/lang/base/cursor.h)
// and kMaxRank elements in a tuple (spec/lang/layout/shape.h), so a walk may recurse.
//
// Source: CATLASS, "TLA Layouts" (docs/sources.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "spec/lang/base/element_type.h"

namespace tileproof {

struct IntTuple {
  bool is_tuple = false;

  // Integer only. `_4` (or `Int<4>`) is known at compile time, `4` at run time. They are equal.
  int64_t value = 0;
  bool is_static = false;

  std::vector<IntTuple> elements;  // tuple only; may be empty

  // Compares numbers and nesting, and ignores is_static.
  bool operator==(const IntTuple& other) const;
};

IntTuple make_integer(int64_t value);
IntTuple make_tuple(std::vector<IntTuple> elements);
IntTuple make_flat(absl::Span<const int64_t> values);  // a tuple of integers

// A coordinate: `5`, `(1,5)`, `((1,0),5)`. It may have an integer where the shape has a tuple.
using Coordinate = IntTuple;

struct NestedLayout {
  IntTuple shape;   // extents, at least 0
  IntTuple stride;  // of the same nesting; any integers

  bool operator==(const NestedLayout&) const = default;
};

// ---- Structure ----

// The number of elements; 1 for an integer.
int64_t rank(const IntTuple& tuple);

// 0 for an integer; 1 + the deepest element for a tuple.
int64_t depth(const IntTuple& tuple);

// get<I0,I1,..>(tuple): element I1 of element I0, and so on. Returns nullptr if there is none. As
// in CuTe, get<0> of an integer is the integer.
const IntTuple* get(const IntTuple& tuple, absl::Span<const int64_t> path);

// Returns whether both are integers, or tuples of one rank with congruent elements.
bool congruent(const IntTuple& a, const IntTuple& b);

// The integers from left to right.
std::vector<int64_t> leaves(const IntTuple& tuple);

// Returns `like` with its integers replaced by `leaves`, from left to right.
IntTuple with_leaves(const IntTuple& like, absl::Span<const int64_t> leaves);

// Mode i of a layout, 0 <= i < rank: get<i>(shape):get<i>(stride).
NestedLayout mode(const NestedLayout& layout, int64_t i);

// ---- Tags ----

// The tags of MakeLayout<Element, Tag> of CATLASS, then formats of other systems that have a name.
// spec/layout/nested_layout.h has the table of their layouts.
enum class Tag : uint8_t {
  kRowMajor,
  kColumnMajor,
  kzN,
  knZ,
  kzZ,
  knN,
  kL0C,
  kWeight4BitnZ,
  kVectorLayout,
  kCol32,
  kCol4_4R2_8C,
  kCol32_2R_4R4,
  kSwizzle32_4_4,
  kVnni,
  kQ4_0_4_4,
  kQ4_0_4_8,
  kQ4_0_8_8,
};

struct TagInfo {
  Tag tag;
  absl::string_view name;  // in its system
  int rank;                // logical dimensions: 2, or 1 for a vector
  int64_t bits = 0;        // of an element; 0: any that divide 256
};

// Every tag, in the order of the enumeration.
absl::Span<const TagInfo> tags();
// Those of CATLASS, which come first: the ones that programs under test are asked for.
absl::Span<const TagInfo> catlass_tags();
const TagInfo& info(Tag tag);
std::optional<Tag> tag_named(absl::string_view name);

// `zN:f16[64,96]`: MakeLayout<f16, zN>(64, 96).
struct TaggedShape {
  Tag tag = Tag::kRowMajor;
  ElementType element_type = ElementType::kF32;
  std::vector<int64_t> dims;  // at least 0 each; their number is the rank of the tag

  bool operator==(const TaggedShape&) const = default;
};

// The bits of an element in TLA: 4 for s4 (XLA takes a byte), 8 for pred.
int tla_bits(ElementType type);

// Returns whether C0 = 256 / bits is an integer of at least 1.
inline constexpr bool is_tla_width(int64_t bits) {
  return bits >= 1 && bits <= 256 && 256 % bits == 0;
}

// ---- Validity, for values that were not parsed ----

absl::Status validate(const IntTuple& tuple);       // limits of nesting and rank
absl::Status validate(const NestedLayout& layout);  // also: congruent, extents of at least 0
absl::Status validate(const TaggedShape& tagged);
absl::Status validate(Tag tag, int64_t element_bits, int64_t rows, int64_t cols);

}  // namespace tileproof

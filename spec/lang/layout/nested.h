// Nested layouts of TLA (CATLASS) and CuTe, as values.
//
//     ((4,2),(4,3)):((4,16),(1,32))
//
// is a layout: a shape and a stride of the same nesting. An integer or a tuple of such is an
// IntTuple; shapes, strides, coordinates and tiles all are. What a layout means is told in
// spec/layout/nested_layout.h; this header only says what can be written down. The text is in
// spec/lang/layout/nested_text.h.
//
// Everything that makes an IntTuple keeps it within kMaxNesting levels (spec/lang/base/cursor.h) and
// kMaxRank elements a tuple (spec/lang/layout/shape.h), so that a walk over one may recurse.
//
// Source: seed "TLA Layouts"; facts "TLA".
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

  // Integer only. `_4` (also `Int<4>`) is known when the program is compiled, `4` when it runs;
  // both are the number 4, and equal.
  int64_t value = 0;
  bool is_static = false;

  std::vector<IntTuple> elements;  // tuple only; may be empty

  // The same numbers in the same nesting.
  bool operator==(const IntTuple& other) const;
};

IntTuple make_integer(int64_t value);
IntTuple make_tuple(std::vector<IntTuple> elements);
IntTuple make_flat(absl::Span<const int64_t> values);  // a tuple of integers

// A place in a coordinate space: `5`, `(1,5)`, `((1,0),5)`. An integer may stand where the shape
// has a tuple.
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

// get<I0,I1,..>(tuple): element I0, of that element I1, and so on; nothing where there is none. As
// in CuTe, get<0> of an integer is the integer.
const IntTuple* get(const IntTuple& tuple, absl::Span<const int64_t> path);

// Both integers, or tuples of equal rank whose elements are congruent.
bool congruent(const IntTuple& a, const IntTuple& b);

// The integers from left to right.
std::vector<int64_t> leaves(const IntTuple& tuple);

// The tuple nested like `like` that has these integers, as many as there are.
IntTuple with_leaves(const IntTuple& like, absl::Span<const int64_t> leaves);

// Mode i of a layout, 0 <= i < rank: get<i>(shape):get<i>(stride).
NestedLayout mode(const NestedLayout& layout, int64_t i);

// ---- Tags ----

// The layouts that MakeLayout<Element, Tag> knows. spec/layout/nested_layout.h has their table.
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
};

struct TagInfo {
  Tag tag;
  absl::string_view name;  // as CATLASS spells it
  int rank;                // logical dimensions: 2, of a vector 1
};

// Every tag, in the order of the enumeration.
absl::Span<const TagInfo> tags();
const TagInfo& info(Tag tag);
std::optional<Tag> tag_named(absl::string_view name);

// `zN:f16[64,96]`: MakeLayout<f16, zN>(64, 96).
struct TaggedShape {
  Tag tag = Tag::kRowMajor;
  ElementType element_type = ElementType::kF32;
  std::vector<int64_t> dims;  // as many as the tag's rank, at least 0

  bool operator==(const TaggedShape&) const = default;
};

// Bits of an element as TLA counts them: 4 for s4, where XLA keeps a byte. A pred takes a byte.
int tla_bits(ElementType type);

// Bits that C0 = 256 / bits is defined for: 1 to 256, a divisor of 256.
inline constexpr bool is_tla_width(int64_t bits) {
  return bits >= 1 && bits <= 256 && 256 % bits == 0;
}

// ---- Validity, for values that were not parsed ----

absl::Status validate(const IntTuple& tuple);       // nesting and rank
absl::Status validate(const NestedLayout& layout);  // also: congruent, extents at least 0
absl::Status validate(const TaggedShape& tagged);

}  // namespace tileproof

// The text of nested layouts, as CATLASS and CuTe write them.
//
//     layout  = tuple ":" tuple                     the stride of the same nesting as the shape
//     tuple   = integer | "(" [ tuple { "," tuple } ] ")"
//     integer = int | "_" int | "Int<" int ">"
//     tagged  = tag ":" type "[" int { "," int } "]"          zN:f16[64,96], VectorLayout:f32[7]
//
// `(4)` is a tuple of one element and `4` an integer. White space and comments may stand between
// tokens, not inside `_4`. What is read is valid: extents are at least 0, nesting and rank within
// the limits, the type's bits divide 256.
//
// parse(to_text(x)) == x, static integers included (`Int<4>` is printed `_4`, as CuTe does).
// Source: seed "TLA Layouts"; INTERFACE, section 1.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/layout/nested.h"

namespace tileproof {

// The whole text. Errors name the column and what was expected.
absl::StatusOr<IntTuple> parse_int_tuple(absl::string_view text);
absl::StatusOr<NestedLayout> parse_nested_layout(absl::string_view text);
absl::StatusOr<TaggedShape> parse_tagged_shape(absl::string_view text);

// A coordinate as people write it: its outermost parentheses may be left out where it has several
// elements. `37`, `1,5`, `(1,5)`, `(1,0),5`; the empty text is ().
absl::StatusOr<Coordinate> parse_coordinate(absl::string_view text);

// One at the cursor, which then stands behind it.
absl::StatusOr<IntTuple> parse_int_tuple(Cursor& cursor);
absl::StatusOr<NestedLayout> parse_nested_layout(Cursor& cursor);
absl::StatusOr<TaggedShape> parse_tagged_shape(Cursor& cursor);

// No white space.
std::string to_text(const IntTuple& tuple);
std::string to_text(const NestedLayout& layout);
std::string to_text(const TaggedShape& tagged);

// The three ways to write a layout, told apart by how the text begins: TAGGED is a word and ':',
// NESTED an integer behind any number of '(' (or `()`with ':'), and all else a SHAPE.
enum class LayoutForm : uint8_t { kShape, kNested, kTagged };
LayoutForm layout_form(absl::string_view text);

}  // namespace tileproof

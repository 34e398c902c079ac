// SPDX-License-Identifier: Apache-2.0
// The text of nested layouts, as in CATLASS and CuTe.
//
//     layout  = tuple ":" tuple                     the stride has the nesting of the shape
//             | "Layout(" tuple [ "," tuple ] ")"   as pycute prints it
//             | "Layout<" tuple [ "," tuple ] ">"   a type of C++
//             | "make_layout(" tuple [ "," ( tuple | "stride=" tuple | major ) ] ")"
//             | "make_layout(" layout { "," layout } ")"
//             | "make_ordered_layout(" tuple "," [ "order=" ] tuple ")"
//     major   = ( "LayoutLeft" | "LayoutRight" | "GenColMajor" | "GenRowMajor" ) [ "{}" ]
//     tuple   = integer | [ maker ] "(" [ tuple { "," tuple } ] ")" | "(" tuple "," ")"
//             | ( "Shape" | "Stride" | "Step" | "Coord" | "Tile" | "tuple" ) "<" [ .. ] ">" [ "{}" ]
//     maker   = "make_" ( "shape" | "stride" | "step" | "coord" | "tile" | "tuple" )
//     integer = int | "_" int [ "{}" ] | ( "Int" | "C" ) "<" int ">" [ "{}" ]
//             | ( "constant" | "integral_constant" ) "<" word "," int ">"
//     tagged  = tag ":" type "[" int { "," int } "]"          zN:f16[64,96], VectorLayout:f32[7]
//
// Without strides a layout is compact, its first mode the fastest. `cute::` or `cute.` may be before a word. `?`, a number of run time, and `1@0`, a stride that gives
// coordinates in place of an offset, are errors that say so.
//
// `(4)` is a tuple of one element, `4` is an integer. White space and comments may separate tokens;
// `_4` is one token. A parsed value is valid: extents are at least 0, nesting and rank are within
// the limits, the type's bits divide 256.
//
// parse(to_text(x)) == x, static integers included. `Int<4>` is printed `_4`, as CuTe does.
// Source: CATLASS, "TLA Layouts" (docs/sources.md).
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/layout/nested.h"

namespace tileproof {

// Each parses the whole text. Errors name the column and what was expected.
absl::StatusOr<IntTuple> parse_int_tuple(absl::string_view text);
absl::StatusOr<NestedLayout> parse_nested_layout(absl::string_view text);
absl::StatusOr<TaggedShape> parse_tagged_shape(absl::string_view text);

// Parses a coordinate as people write it. The outermost parentheses of several elements are
// optional: `37`, `1,5`, `(1,5)`, `(1,0),5`. The empty text is (). Brackets, which are how an index
// is printed, may be around all: `[1,5]`, `[]`.
absl::StatusOr<Coordinate> parse_coordinate(absl::string_view text);

// Each parses one value at the cursor and moves the cursor past it.
absl::StatusOr<IntTuple> parse_int_tuple(Cursor& cursor);
absl::StatusOr<NestedLayout> parse_nested_layout(Cursor& cursor);
absl::StatusOr<TaggedShape> parse_tagged_shape(Cursor& cursor);

// The text has no white space.
std::string to_text(const IntTuple& tuple);
std::string to_text(const NestedLayout& layout);
std::string to_text(const TaggedShape& tagged);

// The word before this bracket, without `cute::` and `cute.`: "Layout" of `cute::Layout<_4, _1>`.
// Empty if no such word begins here.
absl::string_view peek_word(Cursor& cursor, char bracket);
absl::string_view peek_template(Cursor& cursor);  // before '<'
void take_word(Cursor& cursor, char bracket);     // that word, if one begins here, and the bracket
void take_template(Cursor& cursor);               // that word and '<', if one begins here

// The form of a layout's text, by its beginning:
//
//     TAGGED    a word and ':'
//     NESTED    an integer or '?' after any number of '(', or `()` and ':', or a function or
//               type that makes a layout
//     SHAPE     anything else
enum class LayoutForm : uint8_t { kShape, kNested, kTagged };
LayoutForm layout_form(absl::string_view text);

}  // namespace tileproof

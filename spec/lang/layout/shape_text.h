// SPDX-License-Identifier: Apache-2.0
// The text of shapes, as in HLO.
//
//     shape  = "(" [ shape { "," shape } ] ")" | "b(" array ")" | array
//     array  = type "[" [ dim { "," dim } ] "]" [ layout ]
//     dim    = int | "<=" int | "?"
//     layout = "{" [ int { "," int } ] [ ":" props ] "}"
//     props  = [ "D(..)" ] [ "T" tile { tile } ] [ "L(" int ")" ] [ "E(" int ")" ]
//              [ "S(" int ")" ] [ "SC" split { split } ] [ "M(" int ")" ]
//     tile   = "(" ( int | "*" ) { "," ( int | "*" ) } ")"
//     split  = "(" int ":" [ int { "," int } ] ")"
//
// The order of the properties is fixed. `D(..)` is parsed and dropped. `#(..)`, `*(..)` and `P(..)`
// belong to sparse arrays and are errors.
//
// A parsed shape is valid: minor_to_major is a permutation, sizes are in range, and the number of
// elements and of bytes (of fixed and bounded dimensions) fits int64.
// spec/lang/layout/xla_differences.h lists where XLA is more lenient.
//
// parse_shape(to_text(x)) == x for every valid x, and to_text(parse_shape(t)) == t for every t that
// XLA prints. Source: XLA's HLO parser and xla/layout.cc.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/layout/shape.h"

namespace tileproof {

// Parses the whole text. Errors name the column and what was expected.
absl::StatusOr<Shape> parse_shape(absl::string_view text);

// Parses one shape at the cursor and moves the cursor past it. As in HLO, a '{' after ']' belongs
// to the shape only if an integer or ':' follows it.
absl::StatusOr<Shape> parse_shape(Cursor& cursor);

// The text that XLA prints. Only tuples have white space, and a comment /*index=N*/ at every fifth
// part.
std::string to_text(const Shape& shape);

// Fails unless parse_shape could have returned the shape. For shapes that were not parsed.
absl::Status validate(const Shape& shape);

}  // namespace tileproof

// The text of shapes, as HLO writes them.
//
//     shape  = "(" [ shape { "," shape } ] ")" | "b(" array ")" | array
//     array  = type "[" [ dim { "," dim } ] "]" [ layout ]           dim = int | "<=" int | "?"
//     layout = "{" [ int { "," int } ] [ ":" props ] "}"
//     props  = [ "D(..)" ] [ "T" tile { tile } ] [ "L(" int ")" ] [ "E(" int ")" ] [ "S(" int ")" ]
//              [ "SC" split { split } ] [ "M(" int ")" ]
//     tile   = "(" ( int | "*" ) { "," ( int | "*" ) } ")"           split = "(" int ":" [ int {
//     "," int } ] ")"
//
// The order of the properties is fixed. `D(..)` is read and dropped. `#(..)`, `*(..)` and `P(..)`
// are known and refused: they belong to sparse arrays. What is read is valid: minor_to_major is a
// permutation, sizes are in range, and the number of elements and of bytes (fixed and bounded
// dimensions) fits int64. spec/lang/layout/xla_differences.h names where XLA is more lenient.
//
// parse_shape(to_text(x)) == x for every valid x, and to_text(parse_shape(t)) == t for every t that
// XLA prints. Source: facts "HLO shape and layout text", sections 1 to 4.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/layout/shape.h"

namespace tileproof {

// The whole text is one shape. Errors name the column and what was expected.
absl::StatusOr<Shape> parse_shape(absl::string_view text);

// One shape at the cursor, which then stands behind it. As in HLO, a '{' after ']' belongs to the
// shape only if an integer or ':' follows.
absl::StatusOr<Shape> parse_shape(Cursor& cursor);

// The text that XLA prints: no white space but in tuples, where every fifth part gets its
// /*index=N*/.
std::string to_text(const Shape& shape);

// OK if the shape, however it was made, is one that can be written down and read.
absl::Status validate(const Shape& shape);

}  // namespace tileproof

// SPDX-License-Identifier: Apache-2.0
// The words of a literal of HLO text, and its integers: what stands between braces, commas, spaces and
// comments.
//
//     { /*i0=0*/ {1, -2.5}, {nan, 4} }        1   -2.5   nan   4
//
// Source: XLA's HLO parser, ParseLiteral.
#pragma once

#include <optional>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/strings/string_view.h"

namespace tileproof {

// The words, in their order; they are parts of `literal`. Nothing if a comment has no end.
std::optional<std::vector<absl::string_view>> words_of_literal(absl::string_view literal);

// Returns the numbers in row-major order, as they are written: whether one fits an element type is for
// the caller to check. `true` is 1 and `false` is 0. A number beyond 2^64 counts as 2^64, one below
// -2^64 as -2^64. Nothing if a part is not an integer (`1.5`, `nan`, `+1`) or is left out (`{...}`),
// or if a comment has no end.
std::optional<std::vector<absl::int128>> integers_of_literal(absl::string_view literal);

}  // namespace tileproof

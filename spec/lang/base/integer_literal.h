// SPDX-License-Identifier: Apache-2.0
// The integers of a literal of HLO text, as they are written.
//
//     7        { /*i0=0*/ {1, 2}, {3, 4} }        true
//
// Whether a number fits an element type is for the caller to check. Source: XLA's HLO parser,
// ParseLiteral.
#pragma once

#include <optional>
#include <vector>

#include "absl/numeric/int128.h"
#include "absl/strings/string_view.h"

namespace tileproof {

// Returns the numbers in row-major order, `true` as 1 and `false` as 0. A number beyond 2^64 counts
// as 2^64, one below -2^64 as -2^64. Nothing if a part is not an integer (`1.5`, `nan`, `+1`) or is
// left out (`{...}`), or if a comment has no end.
std::optional<std::vector<absl::int128>> integers_of_literal(absl::string_view literal);

}  // namespace tileproof

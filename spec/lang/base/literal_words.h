// SPDX-License-Identifier: Apache-2.0
// The words of a literal of HLO text: what stands between braces, commas, spaces and comments.
//
//     { /*i0=0*/ {1, -2.5}, {nan, 4} }        1   -2.5   nan   4
//
// Source: XLA's HLO parser, ParseLiteral.
#pragma once

#include <optional>
#include <vector>

#include "absl/strings/string_view.h"

namespace tileproof {

// The words, in their order; they are parts of `literal`. Nothing if a comment has no end.
std::optional<std::vector<absl::string_view>> words_of_literal(absl::string_view literal);

}  // namespace tileproof

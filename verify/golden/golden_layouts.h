// SPDX-License-Identifier: Apache-2.0
// Answers about layouts, byte for byte (verify/golden/golden.h).
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace tileproof::verify {

// The answer to a question with an error.
std::string error_line(const absl::Status& status);

// Answers about an array: the maps between indices and offsets, and its layout in other systems.
std::string positions_of(absl::string_view shape);

// Answers about operands in the format of verify/compare/algebra_laws.h: every operation of the
// algebra, and the properties of A alone.
std::string algebra_of(absl::string_view operands);

// The plan of a copy, its maps, and the elements of both buffers: LAYOUT <newline> to LAYOUT, and for
// a box <newline> box [BEGIN,..] [SIZE,..]. Padding becomes 0, but that of a box is kept.
std::string relayout_of(absl::string_view copy);

}  // namespace tileproof::verify

// SPDX-License-Identifier: Apache-2.0
// Takes an element type from a text: `f32`. The error for another word names the type that was
// probably meant:
//
//     column 1: expected an element type, found 'float32'; did you mean 'f32'?
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/base/element_type.h"

namespace tileproof {

absl::StatusOr<ElementType> take_element_type(Cursor& cursor);

// The end of an error message about a word that is no element type: "; did you mean 'f32'?", or "".
std::string meant_element_type(absl::string_view word);

}  // namespace tileproof

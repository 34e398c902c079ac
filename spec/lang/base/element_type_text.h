// SPDX-License-Identifier: Apache-2.0
// Element types in texts: of HLO, `f32`, and of MLIR, `i8`, `ui16`, `f8E4M3FN`, `complex<f32>`.
#pragma once

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/base/element_type.h"

namespace tileproof {

// Takes an element type of HLO. The error for another word names the type that was probably meant:
//
//     column 1: expected an element type, found 'float32'; did you mean 'f32'?
absl::StatusOr<ElementType> take_element_type(Cursor& cursor);

// The end of an error message about a word that is no element type: "; did you mean 'f32'?", or "".
std::string meant_element_type(absl::string_view word);

// "i32" for s32, "i1" for pred, "complex<f32>" for c64.
std::string mlir_element_type(ElementType type);

// The element type with that name; `si32` is `i32`. Nothing if XLA has none.
std::optional<ElementType> element_type_of_mlir(absl::string_view name);

}  // namespace tileproof

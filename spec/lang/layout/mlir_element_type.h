// SPDX-License-Identifier: Apache-2.0
// The element types of MLIR: f32, bf16, i8, ui16, i1, f8E4M3FN, complex<f32>, and those of XLA.
#pragma once

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "spec/lang/base/element_type.h"

namespace tileproof {

// "i32" for s32, "i1" for pred, "complex<f32>" for c64.
std::string mlir_element_type(ElementType type);

// The element type with that name; `si32` is `i32`. Nothing if XLA has none.
std::optional<ElementType> element_type_of_mlir(absl::string_view name);

}  // namespace tileproof

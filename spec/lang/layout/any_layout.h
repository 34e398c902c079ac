// SPDX-License-Identifier: Apache-2.0
// A layout in any of the supported text forms.
//
//     SHAPE     f16[64,96]{0,1:T(16,16)(16,1)}             tiled layout of XLA
//     NESTED    ((16,4),(16,6)):((16,256),(1,1024))        layout of TLA or CuTe
//     TAGGED    zN:f16[64,96]                              tag of TLA, applied to an array
//     BLOCKED   dnnl:nChw16c:f32[2,32,5,5]                 format of oneDNN, applied to an array
//     SWIZZLED  Sw<3,3,3> o 0 o (8,64):(64,1)              layout of CuTe with a swizzle
//     MEMREF    memref<4x8xf32, strided<[1, 4]>>           type of MLIR
//     a formula (i, j) -> (i * 36 + j), domain: ..         a MEMREF, of no element type
//
// NESTED and SWIZZLED may be a type or a call of C++ or Python, or behind a pointer. An array of NumPy with its
// strides in bytes, `f32[3,5] strides=(20,4)`, is the memref of these strides in elements. Triton's
// layouts of shared memory, `!ttg.memdesc<..>`, are SWIZZLED or MEMREF
// (spec/lang/layout/shared_memory_text.h); Mosaic's layouts of vector registers are MEMREF
// (spec/lang/layout/vpad_text.h).
//
// Each is a function from a logical index to an offset in elements
// (spec/layout/layout_function.h). docs/manual.md, "One language for layouts", is
// the manual.
#pragma once

#include <string>
#include <variant>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/lang/layout/blocked.h"
#include "spec/lang/layout/nested.h"
#include "spec/lang/layout/shape.h"
#include "spec/lang/layout/swizzled_text.h"
#include "spec/lang/map/memref_text.h"

namespace tileproof {

using AnyLayout =
    std::variant<Shape, NestedLayout, TaggedShape, BlockedShape, SwizzledLayout, MemRef>;

// Parses the whole text. The beginning of the text selects the form, whose parser reports errors.
absl::StatusOr<AnyLayout> parse_any_layout(absl::string_view text);

// parse_shape, but the error for what begins like `memreff<`, or for tiles without braces, names the
// layout that was probably meant.
absl::StatusOr<Shape> parse_array_shape(absl::string_view text);

std::string to_text(const AnyLayout& layout);

}  // namespace tileproof

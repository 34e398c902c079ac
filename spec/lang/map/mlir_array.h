// SPDX-License-Identifier: Apache-2.0
// What the types of arrays of MLIR begin with, `16x32xf16`: the sizes and the element type.
//
//     memref<16x32xf16, ..>    tensor<16x32xf16, #ttg.blocked<..>>    !ttg.memdesc<16x32xf16, ..>
//
// Source: MLIR's builtin dialect, "MemRefType", "RankedTensorType".
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "spec/lang/base/cursor.h"
#include "spec/lang/base/dims.h"

namespace tileproof {

inline constexpr int64_t kUnknownSize = -1;  // '?'

struct MlirArray {
  Dims dims;
  std::string element_type;             // "f32", "vector<4xf32>", "!tt.ptr<f32>"
  std::optional<int64_t> element_bits;  // nothing: less than a byte, or unknown
};

// Takes the sizes `8x128x`, without spaces between. Errors: as below.
absl::Status take_mlir_dims(Cursor& cursor, bool unknown_sizes, Dims& dims);

// Takes the sizes, each with its 'x', and the element type. Errors: a rank that is not known, or a
// size, unless `unknown_sizes` (kFailedPrecondition); more than 64 dimensions, a word that is no type.
absl::StatusOr<MlirArray> take_mlir_array(Cursor& cursor, bool unknown_sizes = false);

}  // namespace tileproof

// SPDX-License-Identifier: Apache-2.0
// Answers questions about layouts with MLIR's own: the lowering of affine.linearize_index and
// affine.delinearize_index, and memrefs whose layout is an affine map.
//
//     f32[3,5]{1,0:T(2,2)}    memref<3x5xf32, affine_map<(d0, d1) ->
//                                 (d0 floordiv 2, d1 floordiv 2, d0 mod 2, d1 mod 2)>>
//
// MLIR normalizes this memref to memref<2x3x2x2xf32>, which is the physical shape.
#pragma once

#include "absl/status/statusor.h"
#include "conform/protocol/json.h"

namespace tileproof::peers {

absl::StatusOr<conform::Json> mlir_layout(const conform::Json& request, absl::string_view op);

}  // namespace tileproof::peers

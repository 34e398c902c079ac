// SPDX-License-Identifier: Apache-2.0
// Blocked formats of oneDNN: the reference.
//
// A blocked format lays out an array by four of the steps in spec/layout/layout_steps.h:
//
//   1. pad each dimension to a multiple of the product of its blocks;
//   2. split it into (outer, blocks, outermost first);
//   3. transpose all dimensions into the order of the format, major to minor;
//   4. combine them into one dimension.
//
//     nChw16c on [2,20,5,5]     pad        [2,32,5,5]
//                               split      [2,2,16,5,5]
//                               transpose  [2,2,5,5,16]
//                               combine    [1600]
//
// The result is a TiledLayout (spec/layout/tiled_layout.h). Its physical dimensions are those of
// the format. Source: oneDNN, "Understanding Memory Formats"; answers in
// corpus/layouts/onednn.tsv.
#pragma once

#include "absl/status/statusor.h"
#include "spec/lang/layout/blocked.h"
#include "spec/layout/tiled_layout.h"

namespace tileproof::spec {

// Returns the layout, in which an element takes the bytes of its type. Errors: an invalid shape; a
// size that does not fit int64.
absl::StatusOr<TiledLayout> blocked_layout(const BlockedShape& shape);

}  // namespace tileproof::spec

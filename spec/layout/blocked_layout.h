// What a blocked format of oneDNN means: the reference.
//
// The array goes into memory in the steps of spec/layout/layout_steps.h: each dimension is padded to a multiple
// of the product of its blocks and split into (outer, blocks, outermost first); all are transposed
// into the order in which the format writes them, major to minor; and combined.
//
//     nChw16c on [2,20,5,5]    pad to [2,32,5,5], split to [2,2,16,5,5], transpose to [2,2,5,5,16],
//                              combine to [1600]
//
// The result can be asked what a tiled layout can be asked (spec/layout/tiled_layout.h); its physical
// dimensions are those of the format. Source: facts "oneDNN blocked formats"; answers of oneDNN
// itself are in corpus/layouts/onednn.tsv.
#pragma once

#include "absl/status/statusor.h"
#include "spec/lang/layout/blocked.h"
#include "spec/layout/tiled_layout.h"

namespace tileproof::spec {

// Elements take the bytes of their type. Errors: a shape that is not valid, a size that does not
// fit int64.
absl::StatusOr<TiledLayout> blocked_layout(const BlockedShape& shape);

}  // namespace tileproof::spec

// SPDX-License-Identifier: Apache-2.0
// Layouts of threads of CuTe, Mosaic GPU and TileLang: the text.
//
//     tv:((4,8),(2,2)):((32,1),(16,8)):f32[16,8]
//         CuTe: a layout (T, V) of threads and values, and the array whose elements it numbers
//     TiledLayout(tiling=Tiling(tiles=((64, 8), (16, 8), (8, 8), (1, 2))), warp_dims=(-8,),
//                 lane_dims=(-4, -3), vector_dim=-1):f32[128,128]
//         Mosaic GPU, as Python prints it; without an array, the one of its first tile. MLIR writes
//         #mosaic_gpu.TiledLayout<[[64, 8], [16, 8], [8, 8], [2]], warp_dims = [-7], ..>
//     Fragment([16, 64] -> [8], replicate: 1, thread: 128, forward_thread: .., forward_index: [..])
//         TileLang: from an index to threads and registers; read as the bases of the inverse. A fragment in
//         which not each register of each thread holds one element is a map only (spec/lang/map/map_text.h)
//
// Nothing in `((4,8),(2,2)):((32,1),(16,8))` says that it is of threads, so `tv:` does.
// Sources: CuTe's documentation, "MMA atoms"; JAX's mosaic/gpu/fragmented_array.py, TiledLayout; TileLang's
// layout.cc, FragmentNode::DebugOutput.
#pragma once

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/lang/layout/thread_layout.h"

namespace tileproof {

bool looks_like_thread_values(absl::string_view text);
bool looks_like_tiled_layout(absl::string_view text);
bool looks_like_fragment(absl::string_view text);

// Each parses the whole text. Errors name the place, and what was expected.
absl::StatusOr<ThreadLayout> parse_thread_values(absl::string_view text);
absl::StatusOr<ThreadLayout> parse_tiled_layout(absl::string_view text);
absl::StatusOr<ThreadLayout> parse_fragment(absl::string_view text);

}  // namespace tileproof

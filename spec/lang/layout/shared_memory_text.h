// SPDX-License-Identifier: Apache-2.0
// Triton's layouts of shared memory, as the swizzled layouts or memrefs that they are.
//
//     !ttg.memdesc<64x64xf16, #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>, #smem>
//         Sw<3,4,3> o smem_ptr[16b] o (64,64):(64,1)
//     !ttg.memdesc<64x128xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>>
//         Sw<3,4,3> o smem_ptr[16b] o (64,(64,2)):(64,(1,4096))
//     !ttg.memdesc<16x32xf32, #ttg.padded_shared<[32:+4] {order = [1, 0]}>>
//         d0 * 36 + d1, as a memref: 4 elements after each 32
//
// swizzled_shared: in a row, the numbers of vectors of `vec` elements are changed by exclusive or
// with the row's phase, (row floordiv perPhase) mod maxPhase; the last dimension of `order` is outermost.
// nvmma_shared: tiles of 8 rows of swizzlingByteWidth bytes, one below the other, then beside each
// other; `transposed` exchanges rows and columns. shared_linear: bit k of the offset adds bases[k] to the
// index by exclusive or; its memref sums parities of bits. `order`, or `rank`, may name the last
// dimensions alone: those before number buffers that follow each other.
//
//     !ttg.memdesc<128x64xf32, #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>, ..>
//         d0 * 65536 + d1: the offset of tensor memory has the lane above 2^16 words of 32 bits
//
// Blocks of blockM x blockN lie in columns beside each other, first those below each other. A block of
// 64 rows takes 16 lanes of each 32; the other 16 hold the next block. colStride is how far
// elements of a row are apart. With twoCTAs, a block of 64 rows takes lanes 0 to 63, and its second
// columns the others.
//
// Several blocks (CGALayout, CTAsPerCGA): the part of the array in each has the layout, and the offset
// of an element that several hold is that in the first. The memories of blocks follow each other, those
// of tensor memory 128 lanes apart. Sources: Triton's TritonGPUAttrDefs.td, TritonNvidiaGPUAttrDefs.td and
// LinearLayoutConversions.cpp.
#pragma once

#include <variant>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "spec/lang/layout/swizzled_text.h"
#include "spec/lang/map/memref_text.h"

namespace tileproof {

using SharedLayout = std::variant<SwizzledLayout, MemRef>;

// Parses the whole text. Errors: a parameter that is missing, unknown, or not supported; an array
// that is smaller than a tile.
absl::StatusOr<SharedLayout> parse_shared_layout(absl::string_view text);

}  // namespace tileproof

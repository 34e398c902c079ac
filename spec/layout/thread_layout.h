// SPDX-License-Identifier: Apache-2.0
// Layouts of threads: the definition. Which element does each register of each thread hold?
//
// An encoding says what one walk of all threads of a block holds, its tile. In a tile
//
//     blocked      a thread holds a box of sizePerThread; the threads of a warp lie in a box of
//                  threadsPerWarp such boxes, the warps in one of warpsPerCTA. Each box is numbered by
//                  `order`, its first dimension fastest. sizePerThread is at most what a block holds.
//     nvidia_mma   of a fragment of m rows and n columns, lane l holds in row l floordiv 4 the columns
//                  2 * (l mod 4) and the next; then 8 rows below; then 8 columns further, and so on.
//                  Version 2 numbers warps by rows, version 3 by columns.
//     dot_op       of nvidia_mma the same with kWidth for 2, rows for the index that is not summed, and
//                  columns for the one that is, k. Warps that differ along the columns of A, or the
//                  rows of B, hold the same. Of AMD's, with s rows of A (columns of B) of an instruction, lane l
//                  holds kWidth values of k from kWidth * (l floordiv s) on, in row (column) l mod s; if
//                  s is 64, 16 times as many; of amd_wmma the same again for all of k of an
//                  instruction. Registers and warps whose tiles differ along k hold none, and the same. Of
//                  blocked, a thread holds all of k, and threads and warps along k hold the same.
//     amd_mfma     of n columns, lane l holds column l mod n of four rows from 4 * (l floordiv n) on, then
//                  of those below what all lanes hold; of elements of 64 bits, of one row. Transposed: rows and
//                  columns are exchanged. A warp holds tilesPerWarp of these tiles, of which the columns are
//                  numbered first: registers reach the last column (of operands, of k) of the tensor before
//                  they go on along rows, even if blocks divide the columns.
//     amd_wmma     lane l holds column l mod 16: of version 1 the rows l floordiv 16, then every second
//                  row below; of later ones eight rows from 8 * (l floordiv 16) on. The bits of registers
//                  and warps add the tiles of ctaLayout by exclusive or.
//     linear       the exclusive or of the bases of the bits that are set
//
//     tv:          the element number layout(thread, register), the first dimension fastest; a thread is
//                  warp * 32 + lane, or the lane alone if there are not whole warps
//     TiledLayout  an element's index is divided by one tile after the other: each replaces the last
//                  indices by their quotients, and appends the remainders. The indices of warp_dims are
//                  the number of the warp, row-major, those of lane_dims of the lane, and all others
//                  of the register, in which vector_dim counts fastest.
//
// Those two have no tile. A tile that is larger than the tensor wraps around: its index is taken modulo the size, and so
// several places hold one element. One that is smaller repeats, in further registers, the first
// dimension of its order fastest. Blocks divide the tensor into equal parts.
//
//     #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [4], warpsPerCTA = [2], order = [0]}>
//         of 32:  register r, lane l, warp w:  (r floordiv 2) * 16 + w * 8 + l * 2 + r mod 2,  r < 4
//         of 8:   l * 2 + r mod 2: both warps hold all
//
// slice drops one dimension of its parent, whose tensor has the size 1 there, and then each register
// whose number is a power of two, and which holds the same as register 0, with all that it begins.
//
// Sources: Triton's TritonGPUAttrDefs.td and LinearLayoutConversions.cpp; CuTe's and Mosaic GPU's, as
// spec/lang/layout/thread_notations.h names them; PTX ISA, "Matrix fragments
// for mma.m16n8k16", "wgmma"; AMD matrix instruction calculator.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "spec/lang/layout/thread_layout.h"

namespace tileproof::spec {

// How many registers, lanes, warps and blocks there are.
absl::StatusOr<Place> place_sizes(const ThreadLayout& layout);

// The index that the place holds. Errors: a place outside of the sizes.
absl::StatusOr<Dims> held_at(const ThreadLayout& layout, const Place& place);

// All places that hold the index, in order: by register, lane, warp, block. Errors: an index outside
// of the tensor; more than `budget` places.
absl::StatusOr<std::vector<Place>> holders_of(const ThreadLayout& layout, const Dims& index,
                                              int64_t budget);

}  // namespace tileproof::spec

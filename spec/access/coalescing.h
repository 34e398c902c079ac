// SPDX-License-Identifier: Apache-2.0
// Coalescing, by definition: how many memory transactions the warps of a kernel need.
//
// A thread map takes a thread of a block, and an iteration of it, to the index of a result:
//
//     (th_x, th_y, th_z, bl_x, bl_y, bl_z)[s0] -> (bl_x * 4 + s0, th_x),
//         domain: th_x in [0, 127], th_y in [0, 0], .., bl_x in [0, 31], .., s0 in [0, 3]
//
// In a block of X * Y * Z threads, thread (x, y, z) has the number x + X * (y + Y * z). Warp w
// consists of the threads w * warp to w * warp + warp - 1, which run together.
//
// The access map takes the index of a result to the index of an element of an array. Each block,
// warp, value of the thread map's range variables and value of the access map's range variables
// makes one access. In an access, each thread that is in both domains reads the bytes of its
// element, at the offset that the array's layout defines.
//
// A transaction moves `width` bytes, aligned to `width` from the beginning of the array. An access
// needs one transaction for each such piece that it touches. Accesses without threads do not count.
//
//     f32[128,128]{1,0}, access map (d0, d1) -> (d0, d1), warp 32, width 32
//         512 accesses of 4 transactions each
//     f32[128,128]{0,1}, the same
//         512 accesses of 32 transactions each
//
// This is the reference. It looks at each thread.
#pragma once

#include <array>
#include <cstdint>
#include <set>

#include "absl/functional/function_ref.h"
#include "absl/numeric/int128.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "spec/lang/layout/shape.h"
#include "spec/lang/map/access.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::spec {

// Returns the positions of th_x, th_y, th_z, bl_x, bl_y and bl_z among the dimensions of a thread
// map. They are found by name, or by position if there are six without names. -1: absent (one
// thread, one block). Errors: another name; a runtime variable; bounds of a thread that do not
// begin with 0.
absl::StatusOr<std::array<int32_t, 6>> thread_dimensions(const IndexingMap& threads);

// What one access touches.
struct Touched {
  std::set<int64_t> offsets;      // of elements
  std::set<absl::int128> pieces;  // of memory, each of `width` bytes: a transaction
};

// Visits each access. Runtime variables of the access map have their least value. Errors: those of
// thread_dimensions; a number of results of the thread map other than the number of dimensions of the
// access map; a number of results of the access map other than the number of dimensions of the array;
// an index outside the array; more than `budget` points or transactions of elements wider than one.
absl::Status for_each_access(const IndexingMap& threads, const IndexingMap& access,
                             const Shape& array, const Warps& warps, int64_t budget,
                             absl::FunctionRef<void(const Touched& touched)> visit);

// Counts the accesses and their transactions. Errors: as above; runtime variables.
absl::StatusOr<TransactionCounts> count_transactions(const IndexingMap& threads,
                                                     const IndexingMap& access, const Shape& array,
                                                     const Warps& warps, int64_t budget);

}  // namespace tileproof::spec

// Coalescing, by definition: how many memory transactions the warps of a kernel need.
//
// A thread map takes a thread of a block, and an iteration of it, to the index of a result:
//
//     (th_x, th_y, th_z, bl_x, bl_y, bl_z)[s0] -> (bl_x * 4 + s0, th_x),
//         domain: th_x in [0, 127], th_y in [0, 0], .., bl_x in [0, 31], .., s0 in [0, 3]
//
// Thread (x, y, z) of a block of X * Y * Z has the number x + X * (y + Y * z), and the numbers w *
// warp to w * warp + warp - 1 are one warp. Its threads run together: for each block, each warp,
// each value of the range variables (the iterations, one after another), and each value of the
// range variables of the access map,
//
//     access map: from the result's index to the index of an element of an array
//
// is one access: each thread at a point of both domains touches the bytes of its element, at the
// place that the array's layout gives it. A transaction moves `width` bytes, aligned to `width`,
// counted from the beginning of the array. An access needs one for each such piece that is touched;
// one that nobody takes part in is none.
//
//     f32[128,128]{1,0}, access map (d0, d1) -> (d0, d1), warp 32, width 32
//         512 accesses of 4 transactions each
//     f32[128,128]{0,1}, the same
//         512 accesses of 32 transactions each
//
// This is the reference: it looks at each thread.
#pragma once

#include <array>
#include <cstdint>

#include "absl/status/statusor.h"
#include "spec/lang/layout/shape.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::spec {

struct Warps {
  int64_t warp = 32;   // threads
  int64_t width = 32;  // bytes of a transaction
};

struct TransactionCounts {
  int64_t accesses = 0;
  int64_t transactions = 0;
  int64_t most = 0;      // transactions of one access
  int64_t elements = 0;  // different ones in each access, summed

  bool operator==(const TransactionCounts&) const = default;
};

// Which dimensions of a thread map are th_x, th_y, th_z and bl_x, bl_y, bl_z: by these names, or,
// where six dimensions have none, in this order; -1 where there is none (one block, one thread).
// Errors: another name, a
// runtime variable, bounds of a thread that do not begin with 0.
absl::StatusOr<std::array<int32_t, 6>> thread_dimensions(const IndexingMap& threads);

// Errors: of the thread map; as many results as the access map has dimensions, and its results as
// many as the array has; an index outside the array; more than `budget` points, or transactions of
// elements that are wider than one, to look at.
absl::StatusOr<TransactionCounts> count_transactions(const IndexingMap& threads,
                                                     const IndexingMap& access, const Shape& array,
                                                     const Warps& warps, int64_t budget);

}  // namespace tileproof::spec

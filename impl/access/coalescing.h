// Coalescing: how many memory transactions the warps of a kernel need, counted without looking at
// each thread of each block.
//
// What threads, accesses and transactions are is told in spec/access/coalescing.h. Here the thread map,
// the access map and the layout become one map from thread, block and iterations to an offset,
// whose sum is split:
//
//     offset = part of the threads + part of the rest
//
//     (th_x, bl_x)[s0] -> (bl_x * 512 + th_x * 4 + s0)          th_x * 4   and   bl_x * 512 + s0
//
// The rest moves all threads of an access alike, so only its remainder modulo the elements of a
// transaction matters; how often each remainder occurs is counted for each variable on its own, and
// for those together that share a term or a condition. Variables that share one with a thread are
// enumerated with the threads.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "spec/lang/layout/shape.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

struct Warps {
  int64_t warp = 32;   // threads, at most 1024
  int64_t width = 32;  // bytes of a transaction, at most 4096
};

// Threads that are looked at, beyond which nothing is counted.
inline constexpr int64_t kMaxThreads = int64_t{1} << 23;

struct TransactionCounts {
  int64_t accesses = 0;
  int64_t transactions = 0;
  int64_t most = 0;      // transactions of one access
  int64_t elements = 0;  // different ones in each access, summed

  bool operator==(const TransactionCounts&) const = default;
};

// Errors: a thread map without threads' names, or with runtime variables; maps and array that do
// not fit; not counted (ResourceExhausted), which says why. Every index that the access map gives
// is in the array.
absl::StatusOr<TransactionCounts> count_transactions(const IndexingMap& threads,
                                                     const IndexingMap& access, const Shape& array,
                                                     const Warps& warps);

}  // namespace tileproof::impl

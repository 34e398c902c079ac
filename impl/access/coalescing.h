// SPDX-License-Identifier: Apache-2.0
// Coalescing: how many memory transactions the warps of a kernel need, without visiting every
// thread of every block.
//
// spec/access/coalescing.h defines threads, accesses and transactions. Here the thread map, the
// access map and the layout become one map from thread, block and iterations to an offset. Its sum
// is split:
//
//     offset = part of the threads + part of the rest
//
//     (th_x, bl_x)[s0] -> (bl_x * 512 + th_x * 4 + s0)          th_x * 4   and   bl_x * 512 + s0
//
// The rest moves all threads of an access alike, so only its remainder modulo the elements of a
// transaction matters. The frequency of each remainder is counted for each variable separately, and
// jointly for variables that share a term or a constraint. Variables that share one with a thread
// are enumerated with the threads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "impl/hlo/indexing.h"
#include "spec/lang/hlo/hlo.h"
#include "spec/lang/layout/shape.h"
#include "spec/lang/map/access.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

// The limit on enumerated threads. With more, the result is an error.
inline constexpr int64_t kMaxThreads = int64_t{1} << 23;

// Errors: a thread map without thread dimensions, or with runtime variables; maps and an array that
// do not fit together; an index outside of the array, as far as the simplifier sees it, so every
// index must be inside; ResourceExhausted, with the reason, if the result is not counted.
absl::StatusOr<TransactionCounts> count_transactions(const IndexingMap& threads,
                                                     const IndexingMap& access, const Shape& array,
                                                     const Warps& warps);

// The memory transactions of a kernel, for each array that it touches: the result that its threads
// write, and the operands that an instruction reads for it.

// The accesses to one array through all of its maps. Each map is a separate access.
struct KernelTraffic {
  std::string name;  // "result", "operand 0, p"
  std::optional<TransactionCounts> accesses;
  int64_t bits = 0;  // of an element
  std::string why;   // the reason if `accesses` is empty

  // Whole percents of the bytes moved, by transactions of `width` bytes, that an element is in; 100
  // if none moves. `accesses` is there.
  int64_t used_percent(int64_t width) const;
};

// The result first, then the operands with dependences. `threads` takes threads and blocks to an
// index of array `output` of the result. Errors: those of IndexingAnalysis and count_transactions.
absl::StatusOr<std::vector<KernelTraffic>> kernel_traffic(
    IndexingAnalysis& analysis, const HloModule& module, int32_t computation, int32_t instruction,
    int32_t output, const IndexingMap& threads, const Warps& warps);

}  // namespace tileproof::impl

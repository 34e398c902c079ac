// SPDX-License-Identifier: Apache-2.0
// The memory transactions of a kernel, for each array that it touches: the result that its threads
// write, and the operands that an instruction reads for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "impl/access/coalescing.h"
#include "impl/hlo/indexing.h"
#include "spec/lang/hlo/hlo.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

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

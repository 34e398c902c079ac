// SPDX-License-Identifier: Apache-2.0
// Conflicts in a memory of banks, from the closed form of a layout.
//
// The ways of a phase are the most different words that its lanes need of one bank: the words are
// sorted by bank, and counted. The offset of an element is a sum of digits of its index, followed by
// three operations on words if the layout has a swizzle (impl/layout/relayout/relayout_plan.h).
//
//     f16[8,64]{1,0}, lane l reads 16 bytes at (l, 0)      offset 64 * l, words 32 * l to 32 * l + 3
//         bank 0 gives words 0, 32, .., 224                8 ways
//
// spec/access/banks.h defines accesses, and spec/lang/map/access.h phases.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "impl/layout/relayout/relayout_plan.h"
#include "spec/lang/map/access.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

inline constexpr int64_t kMaxBankPoints = int64_t{1} << 22;

// Phases without lanes are left out. Errors: as in spec/access/banks.h; ResourceExhausted if the
// access has more than kMaxBankPoints points.
absl::StatusOr<std::vector<BankPhase>> bank_phases(const RelayoutSide& layout,
                                                   const IndexingMap& access,
                                                   const BankElement& element,
                                                   const BankMemory& memory);

}  // namespace tileproof::impl

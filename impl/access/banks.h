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
// spec/access/banks.h defines accesses and phases.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "impl/layout/relayout/relayout_plan.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

struct BankMemory {
  int64_t banks = 32;
  int64_t bank_bytes = 4;
  bool amd_read = false;  // the order of lanes of AMD's ds_read_b128
};

// Two lanes that need different words of one bank. A lane may collide with itself.
struct BankClash {
  int64_t bank = 0;
  std::array<int64_t, 2> lanes = {}, words = {};
};

struct BankPhase {
  std::vector<int64_t> access;     // the values of the dimensions after the lane
  int64_t value = 0;               // the number of the first element of the vector in its lane
  int64_t number = 0;              // of the phase
  std::vector<int64_t> lanes;      // that are in the domain
  int64_t ways = 0;                // cycles
  std::optional<BankClash> clash;  // if the ways are more than 1
};

// The element of a layout: `bits` wide, `vector` bytes are served at once.
struct BankElement {
  int64_t bits = 0;
  int64_t vector = 0;
};

inline constexpr int64_t kMaxBankPoints = int64_t{1} << 22;

// Phases without lanes are left out. Errors: as in spec/access/banks.h; ResourceExhausted if the
// access has more than kMaxBankPoints points.
absl::StatusOr<std::vector<BankPhase>> bank_phases(const RelayoutSide& layout,
                                                   const IndexingMap& access,
                                                   const BankElement& element,
                                                   const BankMemory& memory);

}  // namespace tileproof::impl

// SPDX-License-Identifier: Apache-2.0
// Conflicts in a memory of banks, by definition.
//
// The memory is a row of words of `bank_bytes` bytes. Word w is in bank w mod `banks`. In a cycle,
// each bank gives one word, to all lanes that need it. A phase is a group of lanes that are served
// together. It takes as many cycles, its ways, as the busiest bank needs.
//
//     f16[8,64]{1,0}, lane l reads 16 bytes at (l, 0)
//         lane   bytes        words      banks
//         0      0 to 15      0 to 3     0 to 3
//         1      128 to 143   32 to 35   0 to 3         8 ways: bank 0 gives words 0, 32, .., 224
//
// An access map takes the first dimension, a lane, to the index of the element at which the lane's
// vector of `vector` bytes begins. Each value of the other dimensions is an access of its own. A map
// with range variables has one value of them for each element of a lane, in their order, the last
// fastest: as many elements as a vector holds are served at once, and must lie beside each other.
//
//     (lane, k) -> (lane, k * 8), domain: lane in [0, 31], k in [0, 7]            --vector 16
//     (lane, k)[s0] -> (lane, k * 8 + s0), domain: .., s0 in [0, 7]               the same
//
// A phase has as many lanes as there are vectors in a word of each bank, and at most one for each
// bank: 32 lanes of 4 bytes or less, 16 of 8, 8 of 16. AMD serves the lanes of reads of 16 bytes in
// another order: 0 to 3 with 20 to 23, 4 to 7 with 16 to 19, 8 to 11 with 28 to 31, 12 to 15 with 24
// to 27, and the same from lane 32 on.
//
// This is the reference. It serves each word of each lane, cycle by cycle. Sources: CUDA C++
// Programming Guide, "Shared Memory"; ROCm, Composable Kernel, "LDS and Bank Conflicts".
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "spec/lang/map/access.h"
#include "spec/lang/map/indexing_map.h"
#include "spec/layout/layout_function.h"

namespace tileproof::spec {

// The phases of all accesses: by access, then by value, then by number. A phase without lanes is
// left out. Errors: a map without a dimension, or with runtime variables; lanes below 0; a number of
// results other than the layout's dimensions; an index outside of the layout; an offset below 0; a
// vector that does not divide the bytes of all banks, or is not made of whole elements, or whose
// elements do not lie beside each other; more than `budget` points.
absl::StatusOr<std::vector<BankPhase>> serve(const LayoutFunction& layout,
                                             const IndexingMap& access, const BankElement& element,
                                             const BankMemory& memory, int64_t budget);

}  // namespace tileproof::spec

// SPDX-License-Identifier: Apache-2.0
// The counters of a loop, in closed form: integers of its state that grow by a constant.
//
//     i = 2 at first, i + 3 in the body, i < 9 in the condition
//
//     iteration k has i = 2 + 3 * k, for k in [0, 2]: 3 iterations
//
// An integer of the body is affine if it is first + step * k in every iteration k. Comparisons whose
// outcome is the same in all iterations are known, so select(i < 0, i + n, i) is i.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>

#include "spec/lang/hlo/checked_op.h"
#include "spec/lang/hlo/hlo.h"

namespace tileproof::impl {

struct Affine {
  int64_t first = 0;
  int64_t step = 0;
};

// What was found about a loop. Each leaf of its state asks again.
struct LoopMemory {
  std::map<const HloInstruction*, bool> valid;
  std::map<HloPosition, std::optional<Affine>> affine;
};

struct LoopCounters {
  int64_t trips = 0;
  std::map<int32_t, Affine> state;  // by leaf, before iteration k: arrays of one integer
  std::shared_ptr<LoopMemory> memory = std::make_shared<LoopMemory>();
};

// More iterations count as an unknown number of them.
inline constexpr int64_t kMaxLoopTrips = 65536;

// Nothing if the number of iterations does not follow from counters and constants.
std::optional<LoopCounters> counters_of(const op::While& loop);

// The integer at a position, as seen from the body, for all iterations. At least one must run.
std::optional<Affine> affine_at(const op::While& loop, const LoopCounters& counters,
                                const HloPosition& position);

}  // namespace tileproof::impl

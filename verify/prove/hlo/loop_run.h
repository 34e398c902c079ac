// SPDX-License-Identifier: Apache-2.0
// Runs the counters of a loop: how often its body runs, and the integers that it can know there.
//
//     i = s32[] constant(0)    state (i, x)    body: (i + 1, ..)    condition: i < 3
//
//     before iteration 0, 1, 2 and after the last: i is 0, 1, 2, 3       3 iterations
//
// The state before the first iteration has those integers that are constants where the loop is: the
// operand is followed through tuples and copies, within its computation. Then the condition and the
// body are evaluated, one iteration after the other, with the integers that are known. If the
// condition is not known once, or the loop does not end within kMaxTrips, the loop is unknown.
//
// It is slow, and right because it does what the loop does.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "spec/lang/hlo/checked_op.h"
#include "spec/lang/hlo/hlo.h"

namespace tileproof::verify {

// More iterations are not run.
inline constexpr int64_t kMaxTrips = 1 << 16;

// The integers of a loop's state that are known, by leaf: only arrays of one element.
using LoopState = std::map<int64_t, int64_t>;

struct LoopRun {
  std::vector<LoopState> states;  // before each iteration, and after the last

  int64_t trips() const { return std::ssize(states) - 1; }
};

// The constants of the state before the first iteration.
LoopState first_state(const op::While& loop);

// Nothing if the loop is unknown.
std::optional<LoopRun> run_loop(const op::While& loop);

// The value of an integer array of one element in a computation whose parameter has this state, if
// it follows from the state and constants. Positions are as seen from the computation.
std::optional<int64_t> integer_at(const HloModule& module, int32_t computation,
                                  const HloPosition& position, const LoopState& state);

}  // namespace tileproof::verify

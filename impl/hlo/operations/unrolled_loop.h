// SPDX-License-Identifier: Apache-2.0
// The dependences of a loop that runs few times: the relations of its body, composed once for each
// iteration.
//
//     (i, x) -> (i + 1, reverse(x)), three times       x    (d0) -> (-d0 + 9)
#pragma once

#include <cstdint>
#include <optional>

#include "impl/hlo/operations/loop_counter.h"
#include "impl/hlo/operations/operation_handler.h"

namespace tileproof::impl {

inline constexpr int64_t kMaxUnrolledTrips = 8;

// Nothing for more iterations, if the body reads an offset that is no counter, or if a relation is
// a superset or a union becomes too large. The summary of the body has no errors.
std::optional<Dependences> unrolled_loop(const op::While& loop, const LoopCounters& counters,
                                         const OperationContext& context);

}  // namespace tileproof::impl

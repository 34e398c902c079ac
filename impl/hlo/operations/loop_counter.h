// SPDX-License-Identifier: Apache-2.0
// The counters of a loop, in closed form: integers of its state that grow by a constant.
//
//     i = 2 at first, i + 3 in the body, i < 9 in the condition
//
//     iteration k has i = 2 + 3 * k, for k in [0, 2]: 3 iterations
//
// A counter is claimed with the iteration as a variable, and shown by induction: it is right at first,
// and the body takes the claims of iteration k to those of k + 1. An integer of the body is affine if
// it is first + step * k in every iteration k, as impl/hlo/operations/known_values.h follows it: so
// select(i < 0, i + n, i) is i.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>

#include "impl/hlo/operations/known_values.h"
#include "spec/lang/hlo/checked_op.h"
#include "spec/lang/hlo/hlo.h"

namespace tileproof::impl {

struct LoopCounters {
  int64_t trips = 0;
  std::map<int32_t, Affine> state;  // by leaf, before iteration k: arrays of one integer
  ComputationDependences* body = nullptr;
  // What affine_at found. Each leaf of the state asks again.
  std::shared_ptr<std::map<HloPosition, std::optional<Affine>>> affine =
      std::make_shared<std::map<HloPosition, std::optional<Affine>>>();
};

// More iterations count as an unknown number of them.
inline constexpr int64_t kMaxLoopTrips = 65536;

// Nothing if the number of iterations does not follow from counters and constants. `around`: of the
// computation that the loop is in; must outlive the answer.
std::optional<LoopCounters> counters_of(const op::While& loop, ComputationDependences& around);

// The integer at a position, as seen from the body, for all iterations. At least one must run.
std::optional<Affine> affine_at(const LoopCounters& counters, const HloPosition& position);

}  // namespace tileproof::impl

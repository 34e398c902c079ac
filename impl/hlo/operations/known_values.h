// SPDX-License-Identifier: Apache-2.0
// What the elements of an array of integers or predicates may be, in closed form: one answer for
// offsets, predicates of selects and counters of loops.
//
//     c = s32[4] concatenate(iota of 2, constant {7, 7})
//
//     d0       where d0 in [0, 1]
//     7        where d0 in [2, 3]
//
// The rules are those of the manual ("Predicates that are known").
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "impl/hlo/access_relation.h"
#include "impl/hlo/operations/operation_handler.h"
#include "impl/hlo/operations/value_cases.h"
#include "spec/lang/hlo/follow_source.h"

namespace tileproof::impl {

class ComputationDependences;

// first + step * k in iteration k of a loop.
struct Affine {
  int64_t first = 0;
  int64_t step = 0;

  bool operator==(const Affine&) const = default;
};

// The value where the iteration is dimension 0.
NodeId add_counter(ExprTable& nodes, const Affine& counter);

// The part of a module in which values are followed.
struct ValueRegion {
  // Offsets are followed through what moves elements; counters also through arithmetic; predicates
  // also out of loops, and to the operands of the call that runs the computation.
  enum class Through : uint8_t { kMoves, kArithmetic, kAll };

  FollowRegion follow;
  // The dependences of a computation; nullptr if values are not followed into it.
  std::function<ComputationDependences*(int32_t computation)> dependences;
  Through through = Through::kMoves;
  // Of the body or condition of a loop: by leaf of its state. Dimension 0 of what is asked about is
  // then the iteration.
  const std::map<int32_t, Affine>* state = nullptr;

  ComputationDependences* at(const HloPosition& position) const {
    return dependences(computation_at(follow.module, follow.computation, position.calls));
  }
};

// The values of the elements of an array to which `at` maps an index of an array of these sizes.
// Nothing if one is not known, or if there are more than so many cases.
std::optional<Cases> values_at(const ValueRegion& region, const HloPosition& position,
                               const Dims& sizes, const AccessRelationPtr& at, size_t most);

// The same for an array of predicates. Nothing if all may be anything.
std::optional<PredicateConditions> conditions_at(const ValueRegion& region,
                                                 const HloPosition& position, const Dims& sizes,
                                                 const AccessRelationPtr& at);

// The leaves of the computation's parameters that the values of an array depend on.
std::vector<OperandLeaf> parameters_of_value(ComputationDependences& within, OperandLeaf array);

// Whether all its elements may be anything, as far as is known.
bool is_anything(ComputationDependences& within, OperandLeaf array);

}  // namespace tileproof::impl

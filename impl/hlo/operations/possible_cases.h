// SPDX-License-Identifier: Apache-2.0
// What the elements of an array may be, in closed form (impl/hlo/operations/known_predicate.h).
//
//     c = s32[4] concatenate(iota of 2, constant {7, 7})
//
//     d0       where d0 in [0, 1]
//     7        where d0 in [2, 3]
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "impl/hlo/access_relation.h"
#include "impl/hlo/backward_slice.h"
#include "spec/lang/map/indexing_map.h"

namespace tileproof::impl {

// The conditions under which a predicate may be true, and may be false. Each map has the dimensions
// of the result that is asked about, no results, and is one of several alternatives.
struct PredicateConditions {
  std::vector<IndexingMap> yes, no;
  bool gave_up = false;  // too many cases, or numbers that are too large: the lists say nothing
};

// The conditions of an array of predicates, at the element to which `at` maps an index of an array of
// sizes `output`. Nothing if it may be anything.
std::optional<PredicateConditions> conditions_of(ComputationDependences& within,
                                                 int32_t instruction, const Dims& output,
                                                 const AccessRelationPtr& at);

// The leaves of a computation's parameters that predicates of selects depend on, in it and in what
// it calls. `summaries`: of what it calls.
std::vector<OperandLeaf> deciding_parameters(ComputationDependences& within,
                                             const Summaries& summaries);

// The same, as the summary of a computation has it.
std::vector<OperandLeaf> deciding_in(const Summary& summary);

// The computation that a call or fusion runs, or the body of a loop: its parameters may be known
// there. -1 for other instructions.
int32_t run_with_operands(const HloInstruction& at);

// Whether an operand of a call or loop is more than anything, where it is one of these.
bool decides(ComputationDependences& within, int32_t call,
             const std::vector<OperandLeaf>& parameters);

}  // namespace tileproof::impl

// SPDX-License-Identifier: Apache-2.0
// From relations to an answer, whose maps all declare the same runtime variables.
//
// Two runtime variables are equal if they are the same function of the output index: the same
// element of the same position, clamped alike. This holds for answers of both directions.
#pragma once

#include <cstdint>

#include "impl/hlo/indexing.h"
#include "impl/hlo/operations/operation_handler.h"

namespace tileproof::impl {

// Which runtime variables a map declares: those of all maps of the answer, or its own. An answer of
// n maps with a variable each has n * n sources or n.
enum class RuntimeVariables : uint8_t { kAll, kUsed };

LeavesRead answer_of(const Dependences& dependences, RuntimeVariables declared);

// `leaves`: the number of leaves of each operand or parameter.
Indexing with_empty_lists(LeavesRead reads, const std::vector<size_t>& leaves);

// A leaf of a result, of these sizes, reads one leaf of an operand or parameter.
struct LeafReader {
  int32_t leaf = 0;
  const Dims* sizes = nullptr;
  AccessRelationPtr relation;
};

// The inverse: from one leaf of an operand or parameter, of these sizes, to the leaves that read it,
// which are in order. `declared`: that of the only leaf of the result (Dependences), or null.
LeavesReached inverse_answer_of(const std::vector<LeafReader>& readers,
                                const AccessRelationPtr& declared, const Dims& sizes,
                                RuntimeVariables variables);

}  // namespace tileproof::impl

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

// The leaves that are read, in order, without those of which nothing is read.
struct LeafRead {
  int32_t operand = 0;  // or parameter
  int32_t leaf = 0;
  LeafMaps list;
};
using LeavesRead = std::vector<LeafRead>;

LeavesRead answer_of(const Dependences& dependences, RuntimeVariables declared);

// A leaf of a result, of these sizes, reads one leaf of an operand or parameter.
struct LeafReader {
  int32_t leaf = 0;
  const Dims* sizes = nullptr;
  AccessRelationPtr relation;
};

// Who reads which input, by number of the leaf among those of all operands or parameters.
struct Readers {
  struct Input {
    const Dims* sizes;
    std::vector<LeafReader> readers;  // in order
  };
  std::vector<Input> inputs;
  AccessRelationPtr declared;  // that of the only leaf of the result (Dependences), or null
};

// The same for the inverse, from one input.
struct LeafReached {
  int32_t leaf = 0;  // of the result
  LeafMaps list;
};
using LeavesReached = std::vector<LeafReached>;

LeavesReached inverse_answer_of(const Readers::Input& input, const AccessRelationPtr& declared,
                                RuntimeVariables variables);

// IndexingAnalysis::reads and, for each input, reached; without empty lists, and each map declares
// only variables that it uses. So a tuple of n arrays, or n maps with a runtime variable each, cost n
// lists or sources in place of n * n.
absl::StatusOr<LeavesRead> leaves_read(IndexingAnalysis& analysis, int32_t computation,
                                       int32_t instruction, int32_t leaf,
                                       Scope scope = Scope::kInstruction);
absl::StatusOr<std::vector<LeavesReached>> leaves_reached(IndexingAnalysis& analysis,
                                                          int32_t computation, int32_t instruction);

}  // namespace tileproof::impl

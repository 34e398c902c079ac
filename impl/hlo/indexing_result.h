// From relations to an answer: all maps declare the same runtime variables. Which of them are one
// is seen by the elements of places that they are, told by the output index; so also in the
// inverse.
#pragma once

#include "impl/hlo/indexing.h"
#include "impl/hlo/operations/operation_handler.h"

namespace tileproof::impl {

// `leaves`: how many leaves each operand or parameter has.
Indexing answer_of(const Dependences& dependences, const std::vector<size_t>& leaves);

// What flows into one leaf of a result, of these sizes.
struct LeafDependences {
  const Dependences* dependences = nullptr;
  Dims sizes;
};

// The inverse: from one array, a leaf of an operand or parameter, to each leaf of the result.
std::vector<LeafMaps> inverse_answer_of(const std::vector<LeafDependences>& result, int32_t operand,
                                        int32_t leaf, const Dims& sizes);

}  // namespace tileproof::impl

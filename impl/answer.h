// From relations to an answer: all maps declare the same runtime variables.
#pragma once

#include "impl/indexing.h"
#include "impl/operation.h"

namespace tileproof::impl {

// `leaves`: how many leaves each operand or parameter has.
Indexing answer_of(const Flows& flows, const std::vector<size_t>& leaves);

}  // namespace tileproof::impl

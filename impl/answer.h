// From relations to an answer: all maps declare the same runtime variables. Where these would be
// more than kMaxDeclarations, which takes a computation with hundreds of both, each declares its
// own.
#pragma once

#include "impl/indexing.h"
#include "impl/operation.h"

namespace tileproof::impl {

inline constexpr size_t kMaxDeclarations = 10'000;

// `leaves`: how many leaves each operand or parameter has.
Indexing answer_of(const Flows& flows, const std::vector<size_t>& leaves);

}  // namespace tileproof::impl

// What an analysis is about: an instruction and its operands, or all of a computation.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "impl/hlo/indexing.h"
#include "spec/lang/hlo/hlo.h"

namespace tileproof::impl {

// The arrays that the indexing is about: their sizes, by operand or parameter, by leaf; {0} of a
// token. Errors: an array of unknown size, or of more than 2^63 - 1 elements.
absl::StatusOr<std::vector<std::vector<std::vector<int64_t>>>> sizes_read(const HloModule& module,
                                                                          int32_t computation,
                                                                          int32_t instruction,
                                                                          Scope scope);

// The sizes of an array of the result. Errors as above, or no such array.
absl::StatusOr<std::vector<int64_t>> sizes_of_result(const HloModule& module, int32_t computation,
                                                     int32_t instruction, int32_t leaf);

// IndexingAnalysis::instruction or computation.
absl::StatusOr<Indexing> indexing_in(IndexingAnalysis& analysis, Scope scope, int32_t computation,
                                     int32_t instruction, int32_t leaf);

}  // namespace tileproof::impl

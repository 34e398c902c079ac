// Utilization: how many elements of its operands an instruction reads, counted in closed form.
//
//     s = f32[4,8] slice(f32[10,8] p), slice={[0:8:2], [0:8]}           p: 32 of 80 elements
//     g = f32[4,8] gather(f32[9,8] table, s32[4] rows)              table: 8 to 32 of 72 elements
//
// An element is read if it flows into some element of some array of the result. Where that depends
// on the values of offsets and indices the answer is the least and the most that any values of
// these tensors give; all of them are taken to be independent, but for clamping.
//
// Not counted, with the reason, is
//   * what the indexing maps list as a superset only;
//   * what depends on indices in other ways than these: an offset that is the same for all elements
//     and has, with others, at most kMaxOffsetValues values, or moves all that is read as a whole;
//     or indices of one list that move windows, each of one element where there are several
//     windows and their most is asked for;
//   * a union or image that is not counted (impl/image.h).
//
// By definition, and slowly: spec/utilization.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "impl/indexing.h"
#include "spec/lang/hlo.h"

namespace tileproof::impl {

inline constexpr int64_t kMaxOffsetValues = 4096;

struct ElementsRead {
  int64_t least = 0;
  int64_t most = 0;
  int64_t elements = 0;   // of the array
  std::string uncounted;  // why; then least and most mean nothing
};

// By operand position, or by number of the parameter; by leaf.
using Utilization = std::vector<std::vector<ElementsRead>>;

// Whose elements: of the instruction's operands, or of the parameters of its computation.
enum class Region : uint8_t { kInstruction, kComputation };

// Errors: as IndexingAnalysis; an array of unknown size, or of more than 2^63 - 1 elements.
absl::StatusOr<Utilization> utilization(IndexingAnalysis& analysis, const HloModule& module,
                                        int32_t computation, int32_t instruction,
                                        Region region = Region::kInstruction);

// The arrays that are read: their sizes, by operand or parameter, by leaf.
absl::StatusOr<std::vector<std::vector<std::vector<int64_t>>>> sizes_read(const HloModule& module,
                                                                          int32_t computation,
                                                                          int32_t instruction,
                                                                          Region region);

}  // namespace tileproof::impl

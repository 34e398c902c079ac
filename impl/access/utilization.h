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
//   * what depends on offsets and indices in other ways than these: offsets, the same for all
//     elements, that move all that is read as a whole, or have, with the maps, at most
//     kMaxOffsetValues combinations of values; indices of one list that move windows which
//     are boxes, few enough to lie side by side or enough to cover all, in each slice of the array
//     (operand_batching_dims) where there are several; and whatever has its least
//     and most where all values are alike, such as a scatter's updates;
//   * what is read at indices that operations inside put together of several arrays, or of some
//     elements of one: two of them may be one element (whole arrays are followed: impl/hlo/resolve_source.h);
//   * a union or image that is not counted (impl/access/image.h).
//
// By definition, and slowly: spec/access/utilization.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "impl/hlo/analysis_scope.h"
#include "impl/hlo/indexing.h"
#include "spec/lang/hlo/hlo.h"

namespace tileproof::impl {

// For each of which each map is counted.
inline constexpr int64_t kMaxOffsetValues = int64_t{1} << 17;

struct ElementsRead {
  int64_t least = 0;
  int64_t most = 0;
  int64_t elements = 0;   // of the array
  std::string uncounted;  // why; then least and most mean nothing
};

// By operand position, or by number of the parameter; by leaf.
using Utilization = std::vector<std::vector<ElementsRead>>;

// Errors: as IndexingAnalysis and sizes_read.
absl::StatusOr<Utilization> utilization(IndexingAnalysis& analysis, const HloModule& module,
                                        int32_t computation, int32_t instruction,
                                        Scope scope = Scope::kInstruction);

}  // namespace tileproof::impl

// SPDX-License-Identifier: Apache-2.0
// Utilization: how many elements of its operands an instruction reads, counted in closed form.
//
//     s = f32[4,8] slice(f32[10,8] p), slice={[0:8:2], [0:8]}           p: 32 of 80 elements
//     g = f32[4,8] gather(f32[9,8] table, s32[4] rows)              table: 8 to 32 of 72 elements
//
// An element is read if some element of some array of the result depends on it. If that depends on
// the values of offsets and indices, the answer is the smallest and the largest count over all
// values of these tensors. The values are assumed to be independent. Each is one that its
// element type holds, clamped: 300 indices of u8 read at most 256 elements.
//
// There is no count, but a reason, in these cases:
//
//   * The indexing maps give only a superset.
//   * The elements depend on offsets and indices, unless one of these cases applies:
//       - Offsets that are the same for all elements move everything that is read as a whole, or
//         have at most kMaxOffsetValues combinations of values and maps.
//       - Indices of one list move windows that are boxes, and these are few enough to lie side by
//         side, or enough to cover everything, in each slice of the array (operand_batching_dims)
//         if there are several.
//       - The count has its minimum and maximum when all values are equal, as for the updates of a
//         scatter.
//   * The indices come from operations inside that combine several arrays or elements of one: two
//     of them may be one element (whole arrays are followed: impl/hlo/offsets/resolve_source.h).
//   * A union or an image is not counted (impl/access/image.h).
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

// The limit on combinations of offset values, times maps.
inline constexpr int64_t kMaxOffsetValues = int64_t{1} << 17;

struct ElementsRead {
  int64_t least = 0;
  int64_t most = 0;
  int64_t elements = 0;   // of the array
  std::string uncounted;  // the reason; if not empty, least and most are meaningless
};

// By operand position, or parameter number; then by leaf.
using Utilization = std::vector<std::vector<ElementsRead>>;

// Errors: those of IndexingAnalysis and sizes_read.
absl::StatusOr<Utilization> utilization(IndexingAnalysis& analysis, const HloModule& module,
                                        int32_t computation, int32_t instruction,
                                        Scope scope = Scope::kInstruction);

}  // namespace tileproof::impl

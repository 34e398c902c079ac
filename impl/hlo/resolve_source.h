// Where a value comes from: an element followed back through operations that only move elements
// (copies, reshapes, slices, opt-barriers, tuples, ..) and out of computations that are entered.
//
//     b = s32[4] opt-barrier(p)
//     s = s32[1] slice(b), slice={[2:3]}          element (0) of s is element (2) of p
#pragma once

#include <cstdint>
#include <vector>

#include "impl/hlo/indexing.h"
#include "spec/lang/hlo/hlo.h"

namespace tileproof::impl {

// One value of a tensor.
struct Element {
  HloPosition position;
  std::vector<int64_t> index;

  auto operator<=>(const Element&) const = default;
};

// The first element that has this value, within the region: of an instruction, its operands are not
// looked behind. Places are as seen from `computation`.
Element resolve_source(IndexingAnalysis& analysis, const HloModule& module, int32_t computation,
                       Scope scope, Element element);

// The same for a runtime variable that is another element at other points, as far as one array has
// all of them: then its source tells of that array. False where they come from several, or only
// some of them from another: then elements that the source tells apart may be one.
bool resolve_runtime_source(IndexingAnalysis& analysis, const HloModule& module,
                            int32_t computation, Scope scope, RuntimeSource& source);

}  // namespace tileproof::impl

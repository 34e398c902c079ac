// SPDX-License-Identifier: Apache-2.0
// Where a value comes from: an element followed back through operations that only move elements
// (copies, reshapes, slices, opt-barriers, tuples, ..) and through calls and fusions in both
// directions.
//
//     b = s32[4] opt-barrier(p)
//     s = s32[1] slice(b), slice={[2:3]}          element (0) of s is element (2) of p
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "impl/hlo/indexing.h"
#include "spec/lang/hlo/follow_source.h"
#include "spec/lang/hlo/hlo.h"

namespace tileproof::impl {

// One value of a tensor.
using Element = ElementAt<std::vector<int64_t>>;

// A walk of more steps gives up.
inline constexpr int64_t kMaxFollowSteps = 20'000;

// Whether each element of the result is one element of an operand. Its value is the same unless the
// element type changes, as that of a bitcast may.
bool moves_elements(HloOpcode opcode);

// The type of a leaf of an instruction that has a shape; nothing if there is no such leaf.
std::optional<ElementType> element_type_of(const HloInstruction& instruction, int32_t leaf);

// The integers that an element type holds; beyond int64 the nearest one does, because offsets are
// clamped. Nothing for other types.
std::optional<Interval> integers_in(ElementType type);

// The values of a constant of integers, row-major, beyond int64 the nearest ones. Nothing where one
// is left out or does not fit the type, which XLA refuses.
std::optional<std::vector<int64_t>> integers_of_constant(const HloInstruction& constant);

FollowRegion region_of(const HloModule& module, int32_t computation, Scope scope);

// The first element that has this value, within the region: of an instruction, its operands are not
// looked behind. Positions are as seen from `computation`. Nothing after kMaxFollowSteps.
std::optional<Element> resolve_source(IndexingAnalysis& analysis, const HloModule& module,
                                      int32_t computation, Scope scope, Element element);

// The same for a runtime variable that is another element at other points, as far as one array has
// all of them: then its source tells of that array. False where they come from several, or only
// some of them from another: then elements that the source tells apart may be one.
bool resolve_runtime_source(IndexingAnalysis& analysis, const HloModule& module,
                            int32_t computation, Scope scope, RuntimeSource& source);

}  // namespace tileproof::impl

// One constraint in normal form, and what two of them say together.
#pragma once

#include <vector>

#include "impl/map/domain/domain.h"
#include "impl/map/normal_form/normal_form.h"

namespace tileproof::impl {

enum class Truth : uint8_t { kAlways, kNever, kOpen };

// Brings the condition into normal form. Bounds of variables that it implies are written into
// `bounds` (one Range per variable); what these say completely is kAlways.
Truth canonicalize(NormalFormContext& context, NormalConstraint& constraint,
                   std::vector<Range>& bounds);

// Joins conditions on one combination and congruences on one operand, in any order the same. Their
// origins are rising then.
// Returns false for a contradiction; sets `changed` if any two said something together.
bool join(NormalFormContext& context, std::vector<NormalConstraint>& constraints, bool& changed);

// Tightens bounds by what the sum leaves for each of its variables, through floors. What was
// refused has meaningless bounds.
void tighten(NormalFormContext& context, const Linear& form, const Range& range,
             std::vector<Range>& bounds);

// The values of a variable in `bounds` whose residue modulo b lies in [low, high]: the first and
// last of them. Example: [-7, 20] with residue 3 modulo 4 is [-5, 19].
Range pull_to_residues(const Range& bounds, int64_t b, const Range& residues);

// If the condition is S mod b in [..] for a single variable S: tightens its bounds.
void pull_bounds(NormalFormContext& context, const NormalConstraint& constraint,
                 std::vector<Range>& bounds);

}  // namespace tileproof::impl

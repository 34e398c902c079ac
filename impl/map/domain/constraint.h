// SPDX-License-Identifier: Apache-2.0
// One constraint in normal form, and the intersection of two.
//
//     d0 * 2 in [3, 8], d0 in [0, 9]   kAlways, and the bounds become d0 in [2, 4]
#pragma once

#include <vector>

#include "impl/map/normal_form/normal_form.h"

namespace tileproof::impl {

// What the bounds of variables say of a constraint.
enum class Truth : uint8_t { kAlways, kNever, kOpen };

// Canonicalizes the constraint. Writes bounds of variables that it implies into `bounds` (one Range
// for each variable). Returns kAlways if these bounds imply the constraint.
Truth canonicalize(NormalFormContext& context, NormalConstraint& constraint,
                   std::vector<Range>& bounds);

// Merges constraints on one combination, and congruences on one operand. The result does not depend
// on the order. Afterwards their `sources` are sorted. Returns false for a contradiction. Sets
// `changed` if any two were merged.
bool join(NormalFormContext& context, std::vector<NormalConstraint>& constraints, bool& changed);

// Tightens the bound of each variable of the sum by the range of the rest, also through floors. If
// the context gave up, the bounds are meaningless.
void tighten(NormalFormContext& context, const Linear& form, const Range& range,
             std::vector<Range>& bounds);

// The smallest interval of the values in `bounds` whose residue modulo b is in `residues`. Example:
// [-7, 20] with residue 3 modulo 4 is [-5, 19].
Range pull_to_residues(const Range& bounds, int64_t b, const Range& residues);

// If the constraint is S mod b in [..] for a single variable S: tightens the bounds of S.
void pull_bounds(NormalFormContext& context, const NormalConstraint& constraint,
                 std::vector<Range>& bounds);

}  // namespace tileproof::impl

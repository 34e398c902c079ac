// SPDX-License-Identifier: Apache-2.0
// Dimensions whose size is known only at run time: `f32[<=4]`.
//
// The definitions take such a dimension at its bound. That is right for operations that read an
// element at the same index for every size. It is wrong for others:
//
//     r = f32[<=4] reverse(f32[<=4] a), dimensions={0}      with two elements: {a[1], a[0]}
//
// For these, everything flows, and the relation says why.
// Source: XLA, the dynamic padder, which pads arrays to their bounds.
#pragma once

#include <string>

#include "spec/hlo/dependence.h"
#include "spec/lang/hlo/checked_op.h"
#include "spec/lang/hlo/hlo.h"

namespace tileproof::spec {

// Returns why this relation is wrong for some size that a bounded dimension can have at run time.
// Returns "" if it is right for all.
std::string runtime_size_reason(const HloInstruction& instruction, const CheckedOp& op,
                                const AccessRelation& relation);

}  // namespace tileproof::spec

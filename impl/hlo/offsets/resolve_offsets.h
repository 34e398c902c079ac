// SPDX-License-Identifier: Apache-2.0
// Values of offsets that are known inside of what is analyzed.
#pragma once

#include <cstddef>
#include <vector>

#include "impl/hlo/access_relation.h"
#include "impl/hlo/operations/known_values.h"

namespace tileproof::impl {

// The relation as at most so many (at least 1), which have known values in place of runtime
// variables. An iota is clamped, and a constant has another value at each index, so that one
// relation may become several, each with its conditions:
//
//     (d0){rt0} -> (rt0)      rt0 in [0, 3], element (d0) of iota 0, 1, .., 7
//     (d0) -> (d0), domain: d0 in [0, 3]      (d0) -> (3), domain: d0 in [4, 7]
//
// Elements that other variables read are followed through copies and what else moves them, as far
// as each stays at its index or is one and the same. None where no pair is left.
std::vector<AccessRelationPtr> with_resolved_offsets(const ValueRegion& region,
                                                     const AccessRelationPtr& relation,
                                                     const Dims& output, const Dims& operand,
                                                     size_t most);

}  // namespace tileproof::impl
